import { Injectable } from '@nestjs/common';
import { ENDED_STATUSES } from '../../../../common/contract/run-status.js';
import { Database, type SqlReader, type SqlSession } from '../../../../database/database.js';
import { sqlLiteral, sqlTuple } from '../../../../database/sql-literal.js';
import type { KindredRun } from '../../bindings/run-kinship.js';
import { SUPERSEDED, type Checkpoint } from '../../entities/checkpoint.entity.js';
import { HISTORY } from '../../entities/message.entity.js';
import type { Run } from '../../entities/run.entity.js';
import type { SeenEvent } from '../../entities/seen-event.entity.js';
import type { ThreadAgent } from '../../entities/thread-agent.entity.js';
import type { Thread } from '../../entities/thread.entity.js';
import { RunLeasesRepository } from '../../leases/run-leases.repository.js';
import { beginningSql, type Continuation, type ListName } from '../../message-log/continued-lists.js';
import type { Range } from '../../message-log/ranges.js';
import { LastListsRepository } from './last-lists.repository.js';
import type { RunHead } from '../rules/shown-run.js';

/** Ranges per statement: their rows are in memory together. */
const RANGES_AT_ONCE = 2_000;
const PLACES_AT_ONCE = 200;
const TRACES_AT_ONCE = 1_000;
const KINDRED_COLUMNS = 'run_no, trace_id, agent_id, parent_trace_id, began_by, parent_by';
const CALLER_COLUMNS = `${KINDRED_COLUMNS}, status, mark, ending, ending_digest`;

export type KindredRunOfThread = KindredRun & { thread_pk: number };

export type CallerRow = KindredRun & Pick<Run, 'status' | 'mark' | 'ending' | 'ending_digest'>;

/** The columns that tell whether a step's report matters to another report. */
export interface ReportOutline extends Pick<Checkpoint, 'seq' | 'digest' | 'attempt' | 'is_current'> {
  is_decided: boolean;
}

/** A report that another one may continue. */
export interface ReportOfEvent
  extends Pick<Checkpoint, 'seq' | 'list_digests' | 'history' | 'history_length' | 'history_meta'>, Continuation {
  run_agent: string;
}

@Injectable()
export class JournalRepository {
  /** The highest number given to a thread on SQLite, where only this process creates threads. */
  private lastPk: number | null = null;

  constructor(
    private readonly database: Database,
    readonly leases: RunLeasesRepository,
    readonly lastLists: LastListsRepository,
  ) {}

  /** Locks these threads' rows until the transaction ends, sorted by id to prevent deadlocks. */
  lockThreads(reader: SqlReader, ids: readonly string[]): Promise<Thread[]> {
    const lock = this.database.isShared ? 'FOR UPDATE' : '';
    return reader.query<Thread>(
      `SELECT * FROM thread WHERE id IN ${sqlTuple(ids, this.database.dialect)} ORDER BY id ${lock}`,
    );
  }

  /** Numbers for new threads, never used before. */
  async nextThreadPks(reader: SqlReader, count: number): Promise<number[]> {
    if (this.database.dialect === 'postgres') {
      const rows = await reader.query<{ pk: number }>(
        `SELECT nextval('thread_pk_seq') AS pk FROM generate_series(1, ${count})`,
      );
      return rows.map(({ pk }) => pk);
    }
    if (this.lastPk === null) {
      const [row] = await reader.query<{ seq: number }>(`SELECT seq FROM sqlite_sequence WHERE name = 'thread'`);
      this.lastPk ??= row?.seq ?? 0; // another group may have got here first and moved on
    }
    const first = this.lastPk + 1;
    this.lastPk += count;
    return Array.from({ length: count }, (_, i) => first + i);
  }

  /** A number for a thread whose rows are written before its own. It is never used again, even if the thread is not created. */
  async reserveThreadPk(session: SqlSession): Promise<number> {
    const [pk] = await this.nextThreadPks(session, 1);
    if (this.database.dialect === 'sqlite') {
      await session.execute(
        `INSERT INTO sqlite_sequence(name, seq) SELECT 'thread', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'thread');
         UPDATE sqlite_sequence SET seq = MAX(seq, ${pk}) WHERE name = 'thread';`,
      );
    }
    return pk!;
  }

  agentsOf(reader: SqlReader, pks: readonly number[]): Promise<ThreadAgent[]> {
    return reader.query<ThreadAgent>(`SELECT * FROM thread_agent WHERE thread_pk IN ${sqlTuple(pks)}`);
  }

  runsByTraces(reader: SqlReader, pk: number, traceIds: readonly string[]): Promise<Run[]> {
    return reader.query<Run>(
      `SELECT * FROM run WHERE thread_pk = ${pk} AND trace_id IN ${sqlTuple(traceIds, this.database.dialect)} ORDER BY run_no`,
    );
  }

  /** Oldest first. */
  async kindredRunsOf(
    reader: SqlReader,
    places: readonly (readonly [threadPk: number, traceId: string])[],
  ): Promise<KindredRunOfThread[]> {
    const found: KindredRunOfThread[] = [];
    for (let from = 0; from < places.length; from += PLACES_AT_ONCE) {
      const some = places
        .slice(from, from + PLACES_AT_ONCE)
        .map(([pk, id]) => `(${pk}, ${sqlLiteral(id, this.database.dialect)})`);
      const sql = `SELECT thread_pk, ${KINDRED_COLUMNS} FROM run
        WHERE (thread_pk, trace_id) IN (VALUES ${some.join(', ')}) ORDER BY thread_pk, run_no`;
      found.push(...(await reader.query<KindredRunOfThread>(sql)));
    }
    return found;
  }

  /** Oldest first. */
  async callersByTraces(reader: SqlReader, pk: number, traceIds: readonly string[]): Promise<CallerRow[]> {
    const found: CallerRow[][] = [];
    for (let from = 0; from < traceIds.length; from += TRACES_AT_ONCE) {
      const some = sqlTuple(traceIds.slice(from, from + TRACES_AT_ONCE), this.database.dialect);
      const sql = `SELECT ${CALLER_COLUMNS} FROM run WHERE thread_pk = ${pk} AND trace_id IN ${some} ORDER BY run_no`;
      found.push(await reader.query<CallerRow>(sql));
    }
    return found.flat();
  }

  async runByNumber(reader: SqlReader, pk: number, runNo: number): Promise<Run | null> {
    const rows = await reader.query<Run>(`SELECT * FROM run WHERE thread_pk = $1 AND run_no = $2`, [pk, runNo]);
    return rows[0] ?? null;
  }

  async headOfRun(reader: SqlReader, pk: number, runNo: number): Promise<RunHead | null> {
    const row = await this.runByNumber(reader, pk, runNo);
    return row && { row, latest: await this.latestOfAttempt(reader, row) };
  }

  openRunsOfAgent(reader: SqlReader, pk: number, agentId: string): Promise<Pick<Run, 'run_no' | 'trace_id'>[]> {
    return reader.query<Pick<Run, 'run_no' | 'trace_id'>>(
      `SELECT run_no, trace_id FROM run WHERE thread_pk = $1 AND agent_id = $2
       AND status NOT IN ${sqlTuple(ENDED_STATUSES, this.database.dialect)} ORDER BY run_no`,
      [pk, agentId],
    );
  }

  /** Only those whose latest checkpoint waits for a person. */
  waitingRunsOfAgent(reader: SqlReader, pk: number, agentId: string): Promise<Pick<Run, 'run_no' | 'trace_id'>[]> {
    return reader.query<Pick<Run, 'run_no' | 'trace_id'>>(
      `SELECT r.run_no, r.trace_id FROM run r WHERE r.thread_pk = $1 AND r.agent_id = $2
       AND r.status NOT IN ${sqlTuple(ENDED_STATUSES, this.database.dialect)}
       AND (SELECT c.pending_tool_calls IS NOT NULL AND c.approval IS NULL FROM checkpoint c
         WHERE c.thread_pk = r.thread_pk AND c.run_no = r.run_no AND c.attempt = r.attempt AND c.is_current
         ORDER BY c.step_index DESC LIMIT 1) ORDER BY r.run_no`,
      [pk, agentId],
    );
  }

  openRuns(reader: SqlReader, pk: number): Promise<CallerRow[]> {
    return reader.query<CallerRow>(
      `SELECT ${CALLER_COLUMNS} FROM run WHERE thread_pk = $1 AND status NOT IN ${sqlTuple(ENDED_STATUSES, this.database.dialect)} ORDER BY run_no`,
      [pk],
    );
  }

  /** The checkpoint with the highest step of the attempt, or its initial row. */
  async latestOfAttempt(reader: SqlReader, run: Run): Promise<Checkpoint | null> {
    const rows = await reader.query<Checkpoint>(
      `SELECT * FROM checkpoint WHERE thread_pk = $1 AND run_no = $2 AND attempt = $3 AND is_current
       ORDER BY step_index DESC LIMIT 1`,
      [run.thread_pk, run.run_no, run.attempt],
    );
    return rows[0] ?? null;
  }

  async highestStepEver(reader: SqlReader, run: Run): Promise<number> {
    const rows = await reader.query<{ step_index: number }>(
      `SELECT step_index FROM checkpoint WHERE thread_pk = $1 AND run_no = $2 AND NOT is_initial
       ORDER BY step_index DESC LIMIT 1`,
      [run.thread_pk, run.run_no],
    );
    return rows[0]?.step_index ?? -1;
  }

  /** Every report of a step, including replaced ones and earlier attempts; there may be any number. */
  reportsOfStep(reader: SqlReader, run: Run, step: number): Promise<ReportOutline[]> {
    return reader.query<ReportOutline>(
      `SELECT seq, digest, attempt, is_current, approval IS NOT NULL AND approval <> '${SUPERSEDED}' AS is_decided
       FROM checkpoint WHERE thread_pk = $1 AND run_no = $2 AND step_index = $3 AND NOT is_initial ORDER BY seq`,
      [run.thread_pk, run.run_no, step],
    );
  }

  /** An agent's reports with this event id, newest first, with the agents of their runs. */
  reportsOfEvent(reader: SqlReader, pk: number, eventId: string, agentId: string): Promise<ReportOfEvent[]> {
    return reader.query<ReportOfEvent>(
      `SELECT c.seq, c.list_digests, c.history, c.history_length, c.history_meta, c.history_from, c.history_from_length,
         c.history_meta_from, c.history_meta_from_length, r.agent_id AS run_agent FROM checkpoint c
       JOIN run r ON r.thread_pk = c.thread_pk AND r.run_no = c.run_no
       WHERE c.thread_pk = $1 AND c.event_id = $2 AND c.agent_id = $3 ORDER BY c.seq DESC`,
      [pk, eventId, agentId],
    );
  }

  checkpointsBySeq(reader: SqlReader, pk: number, seqs: readonly number[]): Promise<Checkpoint[]> {
    return reader.query<Checkpoint>(
      `SELECT * FROM checkpoint WHERE thread_pk = ${pk} AND seq IN ${sqlTuple(seqs)} ORDER BY seq`,
    );
  }

  /** The first characters of a list of the checkpoint with the number `row`. */
  async beginningOfList(
    reader: SqlReader,
    pk: number,
    list: ListName,
    { row, length }: { row: number; length: number },
  ): Promise<string> {
    const beginning = beginningSql(list, { threadPk: String(pk), row: String(row), length: String(length) });
    const [found] = await reader.query<{ ranges: string | null }>(`SELECT ${beginning} AS ranges`);
    if (typeof found?.ranges === 'string') return found.ranges;
    throw new Error(`The checkpoint ${row} of the thread ${pk} has no list of that length.`);
  }

  async elements(
    reader: SqlReader,
    pk: number,
    list: number,
    ranges: readonly Range[],
  ): Promise<{ body: string; digest: string | null }[]> {
    const parts: { body: string; digest: string | null }[][] = [];
    const [first] = ranges;
    if (ranges.length === 1) {
      const sql = `SELECT body, digest FROM message WHERE thread_pk = $1 AND list = $2 AND seq BETWEEN $3 AND $4 ORDER BY seq`;
      return reader.query(sql, [pk, list, first![0], first![1]]);
    }
    for (let from = 0; from < ranges.length; from += RANGES_AT_ONCE) {
      const some = JSON.stringify(ranges.slice(from, from + RANGES_AT_ONCE));
      parts.push(await reader.query(elementsOfRangesSql(this.database.dialect), [some, pk, list]));
    }
    return parts.flat();
  }

  /**
   * Digests of the messages after a place of the thread's log.
   * @param wanted only these digests; null for all
   */
  messagesBehind(
    reader: SqlReader,
    pk: number,
    after: number,
    wanted: readonly string[] | null,
  ): Promise<{ digest: string; seq: number }[]> {
    const isWanted = wanted === null ? '' : `AND digest IN ${sqlTuple(wanted, this.database.dialect)}`;
    return reader.query<{ digest: string; seq: number }>(
      `SELECT digest, seq FROM message WHERE thread_pk = $1 AND list = ${HISTORY} AND seq > $2 ${isWanted} ORDER BY seq`,
      [pk, after],
    );
  }

  seenAmong(reader: SqlReader, keys: readonly SeenEvent[]): Promise<SeenEvent[]> {
    const values = keys.map(({ thread_pk, digest }) => sqlTuple([thread_pk, digest], this.database.dialect)).join();
    return reader.query<SeenEvent>(
      `SELECT e.thread_pk, e.digest FROM (VALUES ${values}) v
       CROSS JOIN seen_event e WHERE e.thread_pk = v.column1 AND e.digest = v.column2`,
    );
  }
}

/**
 * `$1` are the ranges in order, `$2` is the thread and `$3` its list. OFFSET 0 makes PostgreSQL look each range up by key: without
 * statistics it would compare every message with every range.
 */
function elementsOfRangesSql(dialect: Database['dialect']): string {
  const end = (at: 0 | 1) => `CAST(r.value ->> ${at} AS integer)`;
  const within = `thread_pk = $2 AND list = $3 AND seq BETWEEN ${end(0)} AND ${end(1)}`;
  return dialect === 'sqlite'
    ? `SELECT m.body, m.digest FROM json_each($1) AS r CROSS JOIN message m WHERE ${within} ORDER BY r.key, m.seq`
    : `SELECT m.body, m.digest FROM json_array_elements(CAST($1 AS json)) WITH ORDINALITY AS r(value, key)
       CROSS JOIN LATERAL (SELECT body, digest, seq FROM message WHERE ${within} OFFSET 0) AS m ORDER BY r.key, m.seq`;
}
