import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

const UNDECIDED = new TableIndex({
  name: 'effect_undecided',
  columnNames: ['thread_pk'],
  where: "state = 'started' AND kind = 'write'",
});

/** Which threads have effects that may be in doubt, for lists of threads. */
export class EffectsInDoubt1795713543451 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createIndex('effect', UNDECIDED);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('effect', UNDECIDED);
  }
}
