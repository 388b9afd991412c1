import { Table, TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

const KEY = { isPrimary: true };
const NULLABLE = { isNullable: true };
const EVENTS = new TableIndex({
  name: 'thread_event_effects',
  columnNames: ['change_no', 'thread_pk', 'seq'],
  where: "kind = 'effect'",
});

/** Tool calls with side effects, and their outcomes. */
export class Effects1795350400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(
      new Table({
        name: 'effect',
        columns: [
          { name: 'thread_pk', type: 'integer', ...KEY },
          { name: 'agent', type: 'text', ...KEY },
          { name: 'key', type: 'text', ...KEY },
          { name: 'seq', type: 'integer' },
          { name: 'rev', type: 'integer' },
          { name: 'thread_id', type: 'text' },
          { name: 'trace_id', type: 'text' },
          { name: 'agent_id', type: 'text' },
          { name: 'tool', type: 'text' },
          { name: 'kind', type: 'text' },
          { name: 'args', type: 'text', ...NULLABLE },
          { name: 'args_digest', type: 'text' },
          { name: 'call_id', type: 'text', ...NULLABLE },
          { name: 'state', type: 'text' },
          { name: 'attempt', type: 'integer' },
          { name: 'claim_id', type: 'text', ...NULLABLE },
          { name: 'holder', type: 'text', ...NULLABLE },
          { name: 'is_leased', type: 'boolean' },
          { name: 'lease_trace', type: 'text' },
          { name: 'fence', type: 'bigint', ...NULLABLE },
          { name: 'doubt_after_seconds', type: 'integer' },
          { name: 'is_unknown', type: 'boolean' },
          { name: 'is_met', type: 'boolean' },
          { name: 'started_at', type: 'bigint' },
          { name: 'settled_at', type: 'bigint', ...NULLABLE },
          { name: 'settled_by', type: 'text', ...NULLABLE },
          { name: 'result', type: 'text', ...NULLABLE },
          { name: 'result_omitted', type: 'boolean' },
          { name: 'error', type: 'text', ...NULLABLE },
          { name: 'decided_by', type: 'text', ...NULLABLE },
          { name: 'reason', type: 'text', ...NULLABLE },
          { name: 'changed_at', type: 'bigint' },
        ],
        indices: [
          { name: 'effect_by_state', columnNames: ['state', 'started_at', 'thread_pk', 'seq'] },
          { name: 'effect_by_change', columnNames: ['changed_at', 'thread_pk', 'seq'] },
        ],
      }),
    );
    await runner.createIndex('thread_event', EVENTS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('thread_event', EVENTS);
    await runner.dropTable('effect');
  }
}
