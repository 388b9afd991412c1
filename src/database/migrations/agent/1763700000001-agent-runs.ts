import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';

const NULLABLE = { isNullable: true };

/** The runs of an agent process, and the events that wait for the API. */
export class AgentRuns1763700000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(triggerRunTable());
    await runner.createTable(
      new Table({
        name: 'spooled_event',
        columns: [
          { name: 'seq', type: 'integer', isPrimary: true, isGenerated: true, generationStrategy: 'increment' },
          { name: 'thread_id', type: 'text' },
          { name: 'text', type: 'text' },
          { name: 'bytes', type: 'integer' },
        ],
        indices: [{ name: 'spooled_event_by_thread', columnNames: ['thread_id'] }],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('spooled_event');
    await runner.dropTable('trigger_run');
  }
}

function triggerRunTable(): Table {
  return new Table({
    name: 'trigger_run',
    columns: [
      { name: 'run_id', type: 'text', isPrimary: true },
      { name: 'seq', type: 'integer' },
      { name: 'agent_name', type: 'text' },
      { name: 'thread_id', type: 'text' },
      { name: 'message', type: 'text' },
      { name: 'context', type: 'text', ...NULLABLE },
      { name: 'source', type: 'text' },
      { name: 'idempotency_key', type: 'text', ...NULLABLE },
      { name: 'state', type: 'text' },
      { name: 'attempt', type: 'integer' },
      { name: 'process_group', type: 'integer', ...NULLABLE },
      { name: 'process_start', type: 'text', ...NULLABLE },
      { name: 'had_token', type: 'boolean' },
      { name: 'start_etag', type: 'text', ...NULLABLE },
      { name: 'last_checkpoint', type: 'text', ...NULLABLE },
      { name: 'cost_usd', type: 'real' },
      { name: 'is_budget_warned', type: 'boolean' },
      { name: 'outcome', type: 'text', ...NULLABLE },
      { name: 'accepted_at', type: 'bigint' },
      { name: 'started_at', type: 'bigint', ...NULLABLE },
      { name: 'ended_at', type: 'bigint', ...NULLABLE },
    ],
    indices: [
      { name: 'trigger_run_by_key', columnNames: ['idempotency_key'], isUnique: true },
      { name: 'trigger_run_by_state', columnNames: ['state', 'seq'] },
    ],
  });
}
