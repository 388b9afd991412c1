import type { MigrationInterface, QueryRunner } from 'typeorm';

/** When an agent was asked to retry the run of a message, until it answers: a server killed meanwhile asks again. */
export class NotedRetries1795446878160 implements MigrationInterface {
  /** Not through the Table API, which copies whole tables on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "channel_message" ADD COLUMN "retry_asked_at" bigint`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "channel_message" DROP COLUMN "retry_asked_at"`);
  }
}
