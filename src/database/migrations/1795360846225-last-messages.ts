import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The last message of a thread, for the list. Existing threads show none until their next report, because reading them all would take long.
 */
export class LastMessages1795360846225 implements MigrationInterface {
  /** Not through the Table API, which copies whole tables on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "thread" ADD COLUMN "last_message" text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "thread" DROP COLUMN "last_message"`);
  }
}
