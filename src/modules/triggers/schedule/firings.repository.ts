import { Injectable } from '@nestjs/common';
import { Database, type SqlSession } from '../../../database/database.js';
import type { Firing, FiringReason } from './firing.entity.js';
import type { Decision } from './due-instants.js';

/** The ledger of due instants. */
@Injectable()
export class FiringsRepository {
  constructor(private readonly database: Database) {}

  /** Up to when the instants of a trigger have been decided; null for a trigger that is new here. */
  async findCursor(triggerKey: string): Promise<number | null> {
    const [row] = await this.database.read<{ decided_until: number }>(
      'SELECT decided_until FROM schedule_cursor WHERE trigger_key = $1',
      [triggerKey],
    );
    return row?.decided_until ?? null;
  }

  /**
   * Writes down what becomes of instants, and that everything up to `untilMs` is decided. Answers those that were not decided before.
   * One that was given up by a clock that was ahead counts as not decided.
   */
  async decide(
    triggerKey: string,
    decisions: readonly Decision[],
    nowMs: number,
    untilMs: number,
  ): Promise<Decision[]> {
    return this.database.transaction(async (session) => {
      const taken: Decision[] = [];
      for (const decision of decisions) if (await insert(session, triggerKey, decision, nowMs)) taken.push(decision);
      await session.query(
        `INSERT INTO schedule_cursor (trigger_key, decided_until) VALUES ($1, $2)
         ON CONFLICT (trigger_key) DO UPDATE SET decided_until = EXCLUDED.decided_until`,
        [triggerKey, untilMs],
      );
      return taken;
    });
  }

  /** The instants of a trigger that are still to be fired, the oldest first. */
  async findWaiting(triggerKey: string): Promise<Pick<Firing, 'due_at' | 'reason'>[]> {
    return this.database.read(
      `SELECT due_at, reason FROM firing WHERE state = 'waiting' AND trigger_key = $1 ORDER BY due_at`,
      [triggerKey],
    );
  }

  /** The run that a trigger started last; null where there is none. */
  async findLastRun(triggerKey: string): Promise<string | null> {
    const [row] = await this.database.read<{ run_id: string | null }>(
      `SELECT run_id FROM firing WHERE state = 'fired' AND trigger_key = $1 ORDER BY due_at DESC LIMIT 1`,
      [triggerKey],
    );
    return row?.run_id ?? null;
  }

  async markFired(triggerKey: string, dueMs: number, runId: string, nowMs: number): Promise<void> {
    await this.database.transaction((session) =>
      session.query(
        `UPDATE firing SET state = 'fired', run_id = $1, fired_at = $2 WHERE trigger_key = $3 AND due_at = $4`,
        [runId, nowMs, triggerKey, dueMs],
      ),
    );
  }

  async markUnfired(
    triggerKey: string,
    dueMs: number,
    state: 'skipped' | 'missed',
    reason: FiringReason,
  ): Promise<void> {
    await this.database.transaction((session) =>
      session.query('UPDATE firing SET state = $1, reason = $2 WHERE trigger_key = $3 AND due_at = $4', [
        state,
        reason,
        triggerKey,
        dueMs,
      ]),
    );
  }

  /** All rows of a trigger, the oldest first. */
  async list(triggerKey: string): Promise<Firing[]> {
    return this.database.read('SELECT * FROM firing WHERE trigger_key = $1 ORDER BY due_at', [triggerKey]);
  }

  /** Gives up what triggers that are no longer there had left, and forgets what was due before `beforeMs`. */
  async tidy(triggerKeys: readonly string[], beforeMs: number): Promise<void> {
    const isOther =
      triggerKeys.length === 0 ? 'TRUE' : `trigger_key NOT IN (${triggerKeys.map((_, i) => `$${i + 1}`).join(', ')})`;
    await this.database.transaction(async (session) => {
      await session.query(
        `UPDATE firing SET state = 'missed', reason = 'removed' WHERE state = 'waiting' AND ${isOther}`,
        triggerKeys,
      );
      await session.query(`DELETE FROM schedule_cursor WHERE ${isOther}`, triggerKeys);
      await session.query(`DELETE FROM firing WHERE due_at < $1 AND state <> 'waiting'`, [beforeMs]);
    });
  }
}

async function insert(session: SqlSession, key: string, decision: Decision, nowMs: number): Promise<boolean> {
  const { dueMs, state, reason } = decision;
  const rows = await session.query(
    `INSERT INTO firing (trigger_key, due_at, state, reason, run_id, decided_at, fired_at)
     VALUES ($1, $2, $3, $4, NULL, $5, NULL)
     ON CONFLICT (trigger_key, due_at) DO UPDATE SET state = EXCLUDED.state, reason = EXCLUDED.reason, decided_at = EXCLUDED.decided_at
       WHERE firing.state = 'missed' AND firing.decided_at > EXCLUDED.decided_at AND EXCLUDED.state <> 'missed'
     RETURNING due_at`,
    [key, dueMs, state, reason, nowMs],
  );
  return rows.length > 0;
}
