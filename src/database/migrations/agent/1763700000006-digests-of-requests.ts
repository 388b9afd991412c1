import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Digests of requests, to see whether an idempotency key is used again with the same content. */
export class DigestsOfRequests1763700000006 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "trigger_run" ADD COLUMN "request_digest" text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "trigger_run" DROP COLUMN "request_digest"');
  }
}
