import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a run that waits in its agent's process is new, or has begun before, or is to be retried. */
export class KindsOfQueuedRuns1795426752992 implements MigrationInterface {
  /** Not through the Table API, which copies whole tables on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "queued_run" ADD COLUMN "kind" text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "queued_run" DROP COLUMN "kind"`);
  }
}
