import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Under which keys runs were last retried, so that a repeated request is no second retry. */
export class KeysOfRetries1763700000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "trigger_run" ADD COLUMN "retry_key" text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "trigger_run" DROP COLUMN "retry_key"');
  }
}
