import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';

const KEY = { isPrimary: true };
const NULLABLE = { isNullable: true };

/** Tool calls that wait for a person, and their outcomes. */
export class Approvals1763600000003 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(
      new Table({
        name: 'approval',
        columns: [
          { name: 'thread_pk', type: 'integer', ...KEY },
          { name: 'run_no', type: 'integer', ...KEY },
          { name: 'attempt', type: 'integer', ...KEY },
          { name: 'step_index', type: 'integer', ...KEY },
          { name: 'digest', type: 'text', ...KEY },
          { name: 'seq', type: 'integer' },
          { name: 'thread_id', type: 'text' },
          { name: 'trace_id', type: 'text' },
          { name: 'parent_trace_id', type: 'text', ...NULLABLE },
          { name: 'agent_id', type: 'text' },
          { name: 'status', type: 'text' },
          { name: 'tool_calls', type: 'text' },
          { name: 'features', type: 'text' },
          { name: 'decisions', type: 'text', ...NULLABLE },
          { name: 'verb', type: 'text', ...NULLABLE },
          { name: 'reason', type: 'text', ...NULLABLE },
          { name: 'decided_by', type: 'text', ...NULLABLE },
          { name: 'decided_through', type: 'text', ...NULLABLE },
          { name: 'created_at', type: 'bigint' },
          { name: 'expires_at', type: 'bigint', ...NULLABLE },
          { name: 'decided_at', type: 'bigint', ...NULLABLE },
          { name: 'changed_at', type: 'bigint' },
        ],
        indices: [
          { name: 'approval_by_status', columnNames: ['status', 'created_at', 'thread_pk', 'seq'] },
          { name: 'approval_by_time', columnNames: ['created_at', 'thread_pk', 'seq'] },
          { name: 'approval_by_agent', columnNames: ['agent_id', 'status', 'created_at', 'thread_pk', 'seq'] },
          { name: 'approval_by_address', columnNames: ['trace_id', 'step_index', 'thread_id'] },
          { name: 'approval_by_expiry', columnNames: ['status', 'expires_at'] },
          { name: 'approval_by_change', columnNames: ['changed_at', 'thread_pk', 'seq'] },
        ],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('approval');
  }
}
