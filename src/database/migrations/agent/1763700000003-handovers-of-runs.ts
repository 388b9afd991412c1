import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The holder names under which this process takes over its own runs. */
export class HandoversOfRuns1763700000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "trigger_run" ADD COLUMN "holder" text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "trigger_run" DROP COLUMN "holder"');
  }
}
