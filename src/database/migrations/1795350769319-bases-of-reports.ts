import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

const BY_EVENT = new TableIndex({
  name: 'checkpoint_by_event',
  columnNames: ['thread_pk', 'event_id'],
  where: 'event_id IS NOT NULL',
});

/** The ids of the events that reported checkpoints, for reports that continue from them, and the features of each running server. */
export class BasesOfReports1795350769319 implements MigrationInterface {
  /** Not through the Table API, which copies whole tables on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "checkpoint" ADD COLUMN "event_id" text`);
    await runner.createIndex('checkpoint', BY_EVENT);
    await runner.query(`ALTER TABLE "instance" ADD COLUMN "features" text NOT NULL DEFAULT ''`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE "instance" DROP COLUMN "features"`);
    await runner.dropIndex('checkpoint', BY_EVENT);
    await runner.query(`ALTER TABLE "checkpoint" DROP COLUMN "event_id"`);
  }
}
