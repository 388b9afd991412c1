import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Where the threads of runs stood when these were last retried: an end behind that is the end of the retry. */
export class PlacesOfRetries1763700000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "trigger_run" ADD COLUMN "retry_since" bigint');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "trigger_run" DROP COLUMN "retry_since"');
  }
}
