import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether a queued run is new, has begun before, or is a retry. */
export class KindsOfQueuedRuns1795426752992 implements MigrationInterface {
  /** Not through the Table API, which copies whole tables on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "queued_run" ADD COLUMN "kind" text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "queued_run" DROP COLUMN "kind"`);
  }
}
