import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The digests of a report's lists, so that another report can continue from them without their elements. Existing reports have none. */
export class DigestsOfLists1795410316983 implements MigrationInterface {
  /** Not through the Table API, which copies whole tables on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "checkpoint" ADD COLUMN "list_digests" text`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "checkpoint" DROP COLUMN "list_digests"`);
  }
}
