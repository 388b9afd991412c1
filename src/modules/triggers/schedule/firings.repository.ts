import { Injectable } from '@nestjs/common';
import { In, LessThan, Not } from 'typeorm';
import type { SqlSession } from '../../../database/database.js';
import { PortDataSource } from '../../../database/port-data-source.js';
import type { Decision } from './due-instants.js';
import { Firing, type FiringReason } from './firing.entity.js';
import { ScheduleCursor } from './schedule-cursor.entity.js';

/** The ledger of due instants. */
@Injectable()
export class FiringsRepository {
  constructor(private readonly entities: PortDataSource) {}

  /** Until when a trigger's instants are decided; null for a new trigger. */
  async findCursor(triggerKey: string): Promise<number | null> {
    const cursor = await this.entities.manager.findOneBy(ScheduleCursor, { trigger_key: triggerKey });
    return cursor?.decided_until ?? null;
  }

  /**
   * Stores the outcome of instants, and that everything up to `untilMs` is decided. Returns those not decided before; one given up by a
   * clock that was ahead counts as undecided.
   */
  async decide(
    triggerKey: string,
    decisions: readonly Decision[],
    nowMs: number,
    untilMs: number,
  ): Promise<Decision[]> {
    return this.entities.write(async (manager, session) => {
      const taken: Decision[] = [];
      for (const decision of decisions) if (await insert(session, triggerKey, decision, nowMs)) taken.push(decision);
      await manager.upsert(ScheduleCursor, { trigger_key: triggerKey, decided_until: untilMs }, ['trigger_key']);
      return taken;
    });
  }

  /** A trigger's instants that still have to fire, oldest first. */
  findWaiting(triggerKey: string): Promise<Firing[]> {
    const where = { state: 'waiting' as const, trigger_key: triggerKey };
    return this.entities.manager.find(Firing, { where, order: { due_at: 'ASC' } });
  }

  /** The last run that a trigger started; null for none. */
  async findLastRun(triggerKey: string): Promise<string | null> {
    const where = { state: 'fired' as const, trigger_key: triggerKey };
    const last = await this.entities.manager.findOne(Firing, { where, order: { due_at: 'DESC' } });
    return last?.run_id ?? null;
  }

  async markFired(triggerKey: string, dueMs: number, runId: string, nowMs: number): Promise<void> {
    const fired = { state: 'fired' as const, run_id: runId, fired_at: nowMs };
    await this.entities.manager.update(Firing, { trigger_key: triggerKey, due_at: dueMs }, fired);
  }

  async markUnfired(
    triggerKey: string,
    dueMs: number,
    state: 'skipped' | 'missed',
    reason: FiringReason,
  ): Promise<void> {
    await this.entities.manager.update(Firing, { trigger_key: triggerKey, due_at: dueMs }, { state, reason });
  }

  /** Marks waiting instants of removed triggers as missed, and deletes decided ones that were due before `beforeMs`. */
  async tidy(triggerKeys: readonly string[], beforeMs: number): Promise<void> {
    const isOther = { trigger_key: Not(In([...triggerKeys])) };
    await this.entities.write(async (manager) => {
      await manager.update(Firing, { ...isOther, state: 'waiting' }, { state: 'missed', reason: 'removed' });
      await manager.delete(ScheduleCursor, isOther);
      await manager.delete(Firing, { due_at: LessThan(beforeMs), state: Not('waiting') });
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
