import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

const BY_REMINDER = new TableIndex({
  name: 'approval_by_reminder',
  columnNames: ['remind_at'],
  where: 'remind_at IS NOT NULL',
});

/** Which approvals ask questions, and when people are reminded of pending ones. */
export class Questions1795728937480 implements MigrationInterface {
  /** Not through the Table API, which copies whole tables on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "approval" ADD COLUMN "kind" text NOT NULL DEFAULT 'approval'`);
    await runner.query(`ALTER TABLE "approval" ADD COLUMN "reminders" text`);
    await runner.query(`ALTER TABLE "approval" ADD COLUMN "reminded" integer NOT NULL DEFAULT 0`);
    await runner.query(`ALTER TABLE "approval" ADD COLUMN "remind_at" bigint`);
    await runner.createIndex('approval', BY_REMINDER);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('approval', BY_REMINDER);
    for (const name of ['remind_at', 'reminded', 'reminders', 'kind'])
      await runner.query(`ALTER TABLE "approval" DROP COLUMN "${name}"`);
  }
}
