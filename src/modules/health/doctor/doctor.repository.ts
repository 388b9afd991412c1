import { POSTGRES_NOW } from '../../../database/database-clock.js';
import type { Inspection } from '../../../database/inspection.js';
import type { Instance } from '../instance.entity.js';

/** Tables whose rows must not outlive their thread. Some may be missing in the storage of an older version. */
export const TABLES_OF_THREADS = [
  ...['thread_agent', 'run', 'checkpoint', 'message', 'thread_event', 'seen_event', 'run_lease', 'approval', 'effect'],
  ...['state_checkpoint', 'state_value', 'state_write', 'state_leftover'],
] as const;

/** The doctor's queries. They only read, and work with older schemas. */
export class DoctorRepository {
  private constructor(
    private readonly inspection: Inspection,
    private readonly tables: ReadonlySet<string>,
  ) {}

  static async open(inspection: Inspection): Promise<DoctorRepository> {
    const sql =
      inspection.dialect === 'sqlite'
        ? `SELECT name FROM sqlite_master WHERE type = 'table'`
        : 'SELECT table_name AS name FROM information_schema.tables WHERE table_schema = current_schema()';
    const rows = await inspection.query<{ name: string }>(sql);
    return new DoctorRepository(inspection, new Set(rows.map(({ name }) => name)));
  }

  get dialect(): Inspection['dialect'] {
    return this.inspection.dialect;
  }

  has(table: string): boolean {
    return this.tables.has(table);
  }

  async migrations(): Promise<string[]> {
    if (!this.has('migration')) return [];
    return (await this.inspection.query<{ name: string }>('SELECT name FROM migration')).map(({ name }) => name);
  }

  /** SQLite only: damage to the file; empty if it is sound. */
  async damages(): Promise<string[]> {
    const rows = await this.inspection.query<{ quick_check: string }>('PRAGMA quick_check(5)');
    return rows.map(({ quick_check }) => quick_check).filter((said) => said !== 'ok');
  }

  /** Tables with rows of threads that no longer exist and are not being removed. */
  async orphans(): Promise<string[]> {
    const found: string[] = [];
    for (const table of TABLES_OF_THREADS.filter((name) => this.has(name))) {
      const count = await this.number(
        `SELECT COUNT(*) AS number FROM ${table} o WHERE NOT EXISTS (SELECT 1 FROM thread t WHERE t.pk = o.thread_pk)
         AND NOT EXISTS (SELECT 1 FROM deleted_thread d WHERE d.thread_pk = o.thread_pk)`,
      );
      if (count > 0) found.push(`${count} in ${table}`);
    }
    return found;
  }

  /** Messages at places that their thread has not issued. */
  messagesBeyond(): Promise<number> {
    return this.number(
      `SELECT COUNT(*) AS number FROM message m JOIN thread t ON t.pk = m.thread_pk
       WHERE m.seq >= CASE WHEN m.list = 0 THEN t.next_message ELSE t.next_meta END`,
    );
  }

  /** Deleted threads whose rows should have been removed by that time. */
  remainsOlderThan(ms: number): Promise<number> {
    return this.number('SELECT COUNT(*) AS number FROM deleted_thread WHERE deleted_at < $1', ms);
  }

  /** Approvals that should have been closed by then. */
  async overdueApprovals(ms: number): Promise<number> {
    if (!this.has('approval')) return 0;
    return this.number(`SELECT COUNT(*) AS number FROM approval WHERE status = 'pending' AND expires_at < $1`, ms);
  }

  /** Chats and sessions whose work should have been done by then. */
  async overdueChannelWork(ms: number): Promise<number> {
    let count = 0;
    for (const table of ['channel_session', 'channel_chat'].filter((name) => this.has(name))) {
      count += await this.number(`SELECT COUNT(*) AS number FROM ${table} WHERE work_at < $1`, ms);
    }
    return count;
  }

  /** Disabled notices and the reasons. */
  async disabledNotices(): Promise<{ name: string; disabled_reason: string }[]> {
    if (!this.has('notice')) return [];
    return this.inspection.query(
      'SELECT name, disabled_reason FROM notice WHERE disabled_reason IS NOT NULL ORDER BY id',
    );
  }

  async instances(): Promise<Instance[]> {
    return this.has('instance') ? this.inspection.query<Instance>('SELECT * FROM instance ORDER BY started_at') : [];
  }

  /** PostgreSQL only. */
  async setting(name: 'server_version_num' | 'max_connections' | 'server_encoding'): Promise<string> {
    const [row] = await this.inspection.query<{ value: string }>('SELECT current_setting($1) AS value', [name]);
    return row!.value;
  }

  /** PostgreSQL only: its clock, in milliseconds since 1970. */
  nowMs(): Promise<number> {
    return this.number(`SELECT ${POSTGRES_NOW} AS number`);
  }

  private async number(sql: string, ...params: number[]): Promise<number> {
    const [row] = await this.inspection.query<{ number: unknown }>(sql, params);
    return Number(row?.number ?? 0);
  }
}
