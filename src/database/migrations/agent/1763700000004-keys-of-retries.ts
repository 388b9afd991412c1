import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The keys of the runs' last retries, so that a repeated request does not retry twice. */
export class KeysOfRetries1763700000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "trigger_run" ADD COLUMN "retry_key" text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "trigger_run" DROP COLUMN "retry_key"');
  }
}
