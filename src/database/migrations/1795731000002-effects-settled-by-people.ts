import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

const DECIDED = new TableIndex({
  name: 'effect_decided',
  columnNames: ['settled_at', 'thread_pk', 'seq'],
  where: 'decided_by IS NOT NULL AND settled_at IS NOT NULL',
});

/** The effects that people settled, in the order of their decisions. */
export class EffectsSettledByPeople1795731000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createIndex('effect', DECIDED);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('effect', DECIDED);
  }
}
