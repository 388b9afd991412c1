import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The position of each run's thread at its last retry: an end after it belongs to the retry. */
export class PlacesOfRetries1763700000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "trigger_run" ADD COLUMN "retry_since" bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "trigger_run" DROP COLUMN "retry_since"');
  }
}
