import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What the list shows of the last message of a thread. Threads from before show none until their next report: it would take a look at every one. */
export class LastMessages1795360846225 implements MigrationInterface {
  /** Not through the Table API, which copies whole tables on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "thread" ADD COLUMN "last_message" text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "thread" DROP COLUMN "last_message"`);
  }
}
