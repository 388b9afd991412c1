import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

const WITHOUT_RUN = new TableIndex({ name: 'thread_without_run', columnNames: ['pk'], where: 'run_count = 0' });

/** Finds the few threads with only events of unknown types, which lists leave out. */
export class ThreadsWithoutRuns1795330001861 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createIndex('thread', WITHOUT_RUN);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('thread', WITHOUT_RUN);
  }
}
