import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

const LEASED = new TableIndex({ name: 'trigger_run_leased', columnNames: ['seq'], where: 'fence IS NOT NULL' });

/** The fences under which this process drives its runs. */
export class RunFences1763700000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "trigger_run" ADD COLUMN "fence" bigint');
    await runner.createIndex('trigger_run', LEASED);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('trigger_run', LEASED);
    await runner.query('ALTER TABLE "trigger_run" DROP COLUMN "fence"');
  }
}
