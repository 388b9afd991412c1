import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Returns whether an idempotency key comes with the content that it came with first. */
export class DigestsOfRequests1763700000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "trigger_run" ADD COLUMN "request_digest" text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "trigger_run" DROP COLUMN "request_digest"');
  }
}
