import { Injectable } from '@nestjs/common';
import type { SqlReader } from '../../../../database/database.js';
import { sqlTuple } from '../../../../database/sql-literal.js';
import type { Checkpoint } from '../../entities/checkpoint.entity.js';
import type { Run } from '../../entities/run.entity.js';
import type { ListName } from '../../message-log/continued-lists.js';

type RunKey = Pick<Run, 'thread_pk' | 'run_no'>;

export type SayingRow = Pick<Checkpoint, 'attempt' | 'step_index' | 'is_initial' | 'seq' | 'history'>;

@Injectable()
export class LastListsRepository {
  /**
   * The run's last checkpoint whose list (`history` or `history_meta`) is not empty.
   * @param replaced numbers of checkpoints that the transaction replaces
   */
  async ofRun(reader: SqlReader, run: RunKey, list: ListName, replaced: number[]): Promise<Checkpoint | null> {
    const rows = await reader.query<Checkpoint>(
      `SELECT * FROM checkpoint WHERE thread_pk = $1 AND run_no = $2 AND is_current AND ${list} <> '' ${notAmong(replaced)}
       ORDER BY attempt DESC, step_index DESC LIMIT 1`,
      [run.thread_pk, run.run_no],
    );
    return rows[0] ?? null;
  }

  /** The run's last checkpoint with a history, including replaced and initial ones; null for none. */
  async lastSaying(reader: SqlReader, run: RunKey): Promise<SayingRow | null> {
    const [row] = await reader.query<SayingRow>(
      `SELECT attempt, step_index, is_initial, seq, history FROM checkpoint WHERE thread_pk = $1 AND run_no = $2 AND history <> ''
       ORDER BY attempt DESC, step_index DESC, is_initial, seq DESC LIMIT 1`,
      [run.thread_pk, run.run_no],
    );
    return row ?? null;
  }

  /**
   * The last non-empty history that the agent reported in any run of the thread, or only in its own runs.
   * @param replaced numbers of checkpoints that the transaction replaces
   */
  async ofAgent(
    reader: SqlReader,
    pk: number,
    { agentId, isOwnOnly, replaced }: { agentId: string; isOwnOnly: boolean; replaced: readonly number[] },
  ): Promise<Checkpoint | null> {
    const own = `AND run_no IN (SELECT run_no FROM run WHERE thread_pk = $1 AND agent_id = $2)`;
    const rows = await reader.query<Checkpoint>(
      `SELECT * FROM checkpoint WHERE thread_pk = $1 AND agent_id = $2 AND is_current AND history <> '' ${isOwnOnly ? own : ''} ${notAmong(replaced)}
       ORDER BY seq DESC LIMIT 1`,
      [pk, agentId],
    );
    return rows[0] ?? null;
  }
}

function notAmong(replaced: readonly number[]): string {
  return replaced.length === 0 ? '' : `AND seq NOT IN ${sqlTuple(replaced)}`;
}
