import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What starts each agent, as its heartbeats say. */
export class TriggersOfAgents1795363258187 implements MigrationInterface {
  /** Not through the Table API, which copies whole tables on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "agent" ADD COLUMN "triggers" text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "agent" DROP COLUMN "triggers"`);
  }
}
