import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The content of a run's last ending, for earlier checkpoints that arrive after it. */
export class EndingsOfRuns1795328813000 implements MigrationInterface {
  /** Not through the Table API, which copies the whole table on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "run" ADD COLUMN "ending" text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "run" DROP COLUMN "ending"`);
  }
}
