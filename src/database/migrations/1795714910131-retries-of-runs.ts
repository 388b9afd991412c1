import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The retries of each run, and a thread's idle time before them, which durations do not count. */
export class RetriesOfRuns1795714910131 implements MigrationInterface {
  /** Not through the Table API, which copies whole tables on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "run" ADD COLUMN "retry" text`);
    await runner.query(`ALTER TABLE "thread" ADD COLUMN "paused_ms" bigint NOT NULL DEFAULT 0`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "thread" DROP COLUMN "paused_ms"`);
    await runner.query(`ALTER TABLE "run" DROP COLUMN "retry"`);
  }
}
