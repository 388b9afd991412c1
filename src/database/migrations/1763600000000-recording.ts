import { Table, TableIndex, type MigrationInterface, type QueryRunner, type TableColumnOptions } from 'typeorm';

type Columns = Record<
  string,
  'integer' | 'bigint' | 'text' | 'boolean' | 'double precision' | 'text?' | 'integer?' | 'bigint?'
>;

/** Threads, runs, checkpoints and their message log. */
export class Recording1763600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(threadTable());
    await runner.createTable(table('thread_agent', ['thread_pk', 'agent_id'], THREAD_AGENT, true));
    await runner.createIndex('thread_agent', index('thread_agent_by_agent', ['agent_id', 'updated_at', 'thread_pk']));
    await runner.createTable(table('run', ['thread_pk', 'run_no'], RUN, true));
    await runner.createIndex('run', index('run_by_trace', ['thread_pk', 'trace_id'], true));
    await runner.createTable(table('checkpoint', ['thread_pk', 'seq'], CHECKPOINT, true));
    await runner.createIndex(
      'checkpoint',
      index('checkpoint_by_order', ['thread_pk', 'run_no', 'attempt', 'step_index']),
    );
    await runner.createIndex('checkpoint', index('checkpoint_by_step', ['thread_pk', 'run_no', 'step_index']));
    await runner.createTable(table('message', ['thread_pk', 'list', 'seq'], MESSAGE));
    await runner.createTable(table('thread_event', ['thread_pk', 'seq'], THREAD_EVENT, true));
    await runner.createTable(table('seen_event', ['thread_pk', 'digest'], SEEN_EVENT, true));
    await runner.createTable(table('deleted_thread', ['thread_pk'], DELETED_THREAD));
    await keepMessagesInline(runner);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of TABLES) await runner.dropTable(name);
  }
}

const THREAD: Columns = {
  id: 'text',
  last_seq: 'integer',
  next_message: 'integer',
  next_meta: 'integer',
  run_count: 'integer',
  current_run: 'integer',
  latest_seq: 'integer',
  status: 'text',
  model: 'text',
  agents: 'text',
  open_runs: 'integer',
  pending_approvals: 'integer',
  total_tokens: 'bigint',
  total_cost_usd: 'double precision',
  started_at: 'bigint',
  updated_at: 'bigint',
};
const THREAD_AGENT: Columns = {
  thread_pk: 'integer',
  agent_id: 'text',
  latest_run: 'integer',
  open_runs: 'integer',
  updated_at: 'bigint',
};
const RUN: Columns = {
  thread_pk: 'integer',
  run_no: 'integer',
  trace_id: 'text',
  parent_trace_id: 'text?',
  agent_id: 'text',
  is_sub_agent: 'boolean',
  model: 'text',
  status: 'text',
  attempt: 'integer',
  attempt_occurred_at: 'bigint?',
  ending_digest: 'text?',
  mark: 'text?',
  error: 'text?',
  started_at: 'bigint',
  updated_at: 'bigint',
};
const CHECKPOINT: Columns = {
  thread_pk: 'integer',
  seq: 'integer',
  run_no: 'integer',
  attempt: 'integer',
  step_index: 'integer',
  is_current: 'boolean',
  is_initial: 'boolean',
  digest: 'text',
  status: 'text',
  agent_id: 'text',
  model: 'text',
  tokens_used: 'integer',
  input_tokens: 'integer',
  output_tokens: 'integer',
  turn_start_history_len: 'integer',
  run_cost_usd: 'double precision',
  budget_usd: 'double precision',
  budget_warning: 'boolean',
  history: 'text',
  history_length: 'integer',
  history_meta: 'text',
  pending_tool_calls: 'text?',
  extra: 'text?',
  error: 'text?',
  approval: 'text?',
  rev: 'integer',
  created_at: 'bigint',
  updated_at: 'bigint',
};
const MESSAGE: Columns = { thread_pk: 'integer', list: 'integer', seq: 'integer', digest: 'text?', body: 'text' };
const THREAD_EVENT: Columns = {
  thread_pk: 'integer',
  seq: 'integer',
  kind: 'text',
  type: 'text',
  run_no: 'integer?',
  step_index: 'integer?',
  data: 'text?',
  created_at: 'bigint',
};
const SEEN_EVENT: Columns = { thread_pk: 'integer', digest: 'text' };
const DELETED_THREAD: Columns = { thread_pk: 'integer', deleted_at: 'bigint' };

const TABLES = [
  'deleted_thread',
  'seen_event',
  'thread_event',
  'message',
  'checkpoint',
  'run',
  'thread_agent',
  'thread',
];

function threadTable(): Table {
  return new Table({
    name: 'thread',
    columns: [
      { name: 'pk', type: 'integer', isPrimary: true, isGenerated: true, generationStrategy: 'increment' },
      ...columns(THREAD, []),
    ],
    indices: [
      index('thread_by_id', ['id'], true),
      index('thread_by_updated', ['updated_at', 'pk']),
      index('thread_by_started', ['started_at', 'pk']),
      index('thread_by_tokens', ['total_tokens', 'pk']),
      index('thread_by_cost', ['total_cost_usd', 'pk']),
      index('thread_by_status', ['status', 'updated_at', 'pk']),
      index('thread_by_model', ['model', 'updated_at', 'pk']),
    ],
  });
}

function table(name: string, keys: string[], definition: Columns, isWithoutRowid = false): Table {
  return new Table({ name, columns: columns(definition, keys), withoutRowid: isWithoutRowid });
}

function columns(definition: Columns, keys: string[]): TableColumnOptions[] {
  return Object.entries(definition).map(([name, type]) => ({
    name,
    type: type.replace('?', ''),
    isNullable: type.endsWith('?'),
    isPrimary: keys.includes(name),
  }));
}

function index(name: string, columnNames: string[], isUnique = false): TableIndex {
  return new TableIndex({ name, columnNames, isUnique });
}

/**
 * PostgreSQL would compress each message and move it out of line above 2 KB: slow to write, slower to read back in order.
 * Up to a page they stay in the row, as they are.
 */
async function keepMessagesInline(runner: QueryRunner): Promise<void> {
  if (runner.connection.options.type !== 'postgres') return;
  await runner.query(`ALTER TABLE "message" ALTER COLUMN "body" SET STORAGE EXTERNAL`);
  await runner.query(`ALTER TABLE "message" SET (toast_tuple_target = 8160)`);
}
