import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Why nothing arrives from a platform, for the administrators of a channel. */
export class ChannelFaults1795374688189 implements MigrationInterface {
  /** Not through the Table API, which copies whole tables on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "channel" ADD COLUMN "fault" text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "channel" DROP COLUMN "fault"`);
  }
}
