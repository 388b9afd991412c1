import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';

const LEFTOVERS = {
  name: 'state_leftover',
  columns: [
    { name: 'thread_pk', type: 'integer', isPrimary: true },
    { name: 'agent', type: 'text', isPrimary: true },
    { name: 'digest', type: 'text', isPrimary: true },
    { name: 'mark', type: 'text' },
  ],
};

/** Values named by deleted checkpoints, so that a cleanup need not search all values. */
export class StateLeftovers1795415945896 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(new Table(LEFTOVERS));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable(LEFTOVERS.name);
  }
}
