import { Table, TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

const QUEUED = new Table({
  name: 'queued_run',
  columns: [
    { name: 'place', type: 'text', isPrimary: true },
    { name: 'process_id', type: 'text' },
    { name: 'agent_id', type: 'text' },
    { name: 'thread_id', type: 'text' },
    { name: 'trace_id', type: 'text' },
    { name: 'queued_at', type: 'bigint' },
    { name: 'noted_at', type: 'bigint' },
    { name: 'bound_to', type: 'text', isNullable: true },
    { name: 'cancelled_at', type: 'bigint', isNullable: true },
    { name: 'reason', type: 'text', isNullable: true },
  ],
  withoutRowid: true,
});
const BY_TRACE = new TableIndex({ name: 'queued_run_by_trace', columnNames: ['trace_id'] });
const OF_AGENT = new TableIndex({ name: 'queued_run_of_agent', columnNames: ['agent_id', 'process_id'] });

/** Runs that agent processes have accepted but not started, so that people can see and cancel them. */
export class QueuedRuns1795398500000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(QUEUED);
    await runner.createIndex('queued_run', BY_TRACE);
    await runner.createIndex('queued_run', OF_AGENT);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable(QUEUED);
  }
}
