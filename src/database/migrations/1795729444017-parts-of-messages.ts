import type { MigrationInterface, QueryRunner } from 'typeorm';

const COLUMNS = { part_of: 'text', group_key: 'text', due_at: 'bigint' };

const INDEXES = {
  channel_message_part: '"part_of", "seq") WHERE part_of IS NOT NULL',
  channel_message_gathering: '"channel_id", "chat_id") WHERE due_at IS NOT NULL',
  channel_message_by_group: '"channel_id", "group_key") WHERE group_key IS NOT NULL',
};

/** Messages that people send in several parts: their group, common data, and the wait for the next part. */
export class PartsOfMessages1795729444017 implements MigrationInterface {
  /** Not through the Table API, which copies whole tables on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    for (const [name, type] of Object.entries(COLUMNS)) {
      await runner.query(`ALTER TABLE "channel_message" ADD COLUMN "${name}" ${type}`);
    }
    for (const [name, rest] of Object.entries(INDEXES)) {
      await runner.query(`CREATE INDEX "${name}" ON "channel_message" (${rest}`);
    }
  }

  /** An older server starts a run for each part that no run has received. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      `UPDATE "channel_message" SET status = CASE WHEN EXISTS (
         SELECT 1 FROM "channel_message" head
         WHERE head.id = "channel_message".part_of AND head.status = 'received' AND head.turn_at IS NULL
       ) THEN 'received' ELSE 'done' END WHERE status = 'joined'`,
    );
    for (const name of Object.keys(INDEXES)) await runner.query(`DROP INDEX "${name}"`);
    for (const name of Object.keys(COLUMNS)) await runner.query(`ALTER TABLE "channel_message" DROP COLUMN "${name}"`);
  }
}
