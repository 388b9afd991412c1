import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The triggers of each agent, from its heartbeats. */
export class TriggersOfAgents1795363258187 implements MigrationInterface {
  /** Not through the Table API, which copies whole tables on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "agent" ADD COLUMN "triggers" text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "agent" DROP COLUMN "triggers"`);
  }
}
