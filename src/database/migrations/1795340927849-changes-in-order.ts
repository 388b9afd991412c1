import { Table, TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

const APPROVALS = new TableIndex({
  name: 'thread_event_approvals',
  columnNames: ['change_no', 'thread_pk', 'seq'],
  where: "kind = 'approval'",
});
const THREADS = new TableIndex({ name: 'thread_by_change', columnNames: ['change_no', 'pk', 'last_seq'] });
const NOTICES = new Table({
  name: 'deletion_notice',
  columns: [
    { name: 'thread_pk', type: 'integer', isPrimary: true },
    { name: 'thread_id', type: 'text' },
    { name: 'change_no', type: 'bigint' },
    { name: 'deleted_at', type: 'bigint' },
  ],
  indices: [{ name: 'deletion_notice_by_change', columnNames: ['change_no', 'thread_pk'] }],
});

/**
 * The transaction that last changed a thread, so that readers of all threads find what is new. Existing threads have 0: they changed
 * before anybody could follow.
 */
export class ChangesInOrder1795340927849 implements MigrationInterface {
  /** Not through the Table API, which copies whole tables on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    for (const table of ['thread', 'thread_event']) {
      await runner.query(`ALTER TABLE "${table}" ADD COLUMN "change_no" bigint NOT NULL DEFAULT 0`);
    }
    await runner.createIndex('thread', THREADS);
    await runner.createIndex('thread_event', APPROVALS);
    await runner.createTable(NOTICES);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable(NOTICES);
    await runner.dropIndex('thread_event', APPROVALS);
    await runner.dropIndex('thread', THREADS);
    for (const table of ['thread_event', 'thread'])
      await runner.query(`ALTER TABLE "${table}" DROP COLUMN "change_no"`);
  }
}
