import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';

/** The outcome of each time at which a schedule was due, and the time up to which that is decided. */
export class Firings1763700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(
      new Table({
        name: 'firing',
        columns: [
          { name: 'trigger_key', type: 'text', isPrimary: true },
          { name: 'due_at', type: 'bigint', isPrimary: true },
          { name: 'state', type: 'text' },
          { name: 'reason', type: 'text', isNullable: true },
          { name: 'run_id', type: 'text', isNullable: true },
          { name: 'decided_at', type: 'bigint' },
          { name: 'fired_at', type: 'bigint', isNullable: true },
        ],
        indices: [
          { name: 'firing_by_state', columnNames: ['state', 'trigger_key', 'due_at'] },
          { name: 'firing_by_due', columnNames: ['due_at'] },
        ],
      }),
    );
    await runner.createTable(
      new Table({
        name: 'schedule_cursor',
        columns: [
          { name: 'trigger_key', type: 'text', isPrimary: true },
          { name: 'decided_until', type: 'bigint' },
        ],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('schedule_cursor');
    await runner.dropTable('firing');
  }
}
