import { Table, TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

const LEASES = new Table({
  name: 'run_lease',
  columns: [
    { name: 'thread_pk', type: 'integer', isPrimary: true },
    { name: 'trace_id', type: 'text', isPrimary: true },
    { name: 'lease_no', type: 'integer', isPrimary: true },
    { name: 'run_no', type: 'integer' },
    { name: 'agent_id', type: 'text', isNullable: true },
    { name: 'began_by', type: 'text', isNullable: true },
    { name: 'holder', type: 'text' },
    { name: 'fence', type: 'bigint' },
    { name: 'ttl_ms', type: 'integer' },
    { name: 'expires_at', type: 'bigint' },
    { name: 'released_at', type: 'bigint', isNullable: true },
    { name: 'lapsed_at', type: 'bigint', isNullable: true },
    { name: 'claimed_at', type: 'bigint' },
  ],
  withoutRowid: true,
});
const FENCES_OF_DELETED = new TableIndex({
  name: 'deletion_notice_with_fence',
  columnNames: ['thread_id'],
  where: 'last_fence > 0',
});
const FENCED = ['thread', 'deletion_notice'];

/** Which process may drive a run, and the last fence that each thread has issued. */
export class RunLeases1795349503459 implements MigrationInterface {
  /** Adds columns without the Table API, which copies whole tables on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    for (const table of FENCED) {
      await runner.query(`ALTER TABLE "${table}" ADD COLUMN "last_fence" bigint NOT NULL DEFAULT 0`);
    }
    await runner.createIndex('deletion_notice', FENCES_OF_DELETED);
    await runner.createTable(LEASES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable(LEASES);
    await runner.dropIndex('deletion_notice', FENCES_OF_DELETED);
    for (const table of FENCED) await runner.query(`ALTER TABLE "${table}" DROP COLUMN "last_fence"`);
  }
}
