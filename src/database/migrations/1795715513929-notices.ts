import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';

type ColumnType = 'integer' | 'bigint' | 'text' | 'boolean' | 'text?' | 'bigint?' | 'integer?';

const NOTICE: Record<string, ColumnType> = {
  name: 'text',
  url: 'text?',
  channel_id: 'text?',
  chat_id: 'text?',
  topic: 'text?',
  events: 'text',
  agent_id: 'text?',
  include_answer: 'boolean',
  secret: 'text?',
  old_secret: 'text?',
  old_secret_until: 'bigint?',
  enabled: 'boolean',
  disabled_reason: 'text?',
  last_error: 'text?',
  failing_since: 'bigint?',
  work_at: 'bigint?',
  lease_owner: 'text?',
  lease_until: 'bigint?',
  created_at: 'bigint',
  updated_at: 'bigint',
};

const DELIVERY: Record<string, ColumnType> = {
  type: 'text',
  body: 'text',
  agent_id: 'text?',
  thread_id: 'text?',
  trace_id: 'text?',
  status: 'text',
  attempts: 'integer',
  next_at: 'bigint?',
  last_status: 'integer?',
  last_error: 'text?',
  last_answer: 'text?',
  created_at: 'bigint',
  updated_at: 'bigint',
};

/** Recipients of notices, deliveries, and what one server has reported for all. */
export class Notices1795715513929 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of [notices(), deliveries(), marks()]) await runner.createTable(table);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['notice_mark', 'notice_delivery', 'notice']) await runner.dropTable(name);
  }
}

function notices(): Table {
  return new Table({
    name: 'notice',
    columns: [...keys('id'), ...columns(NOTICE)],
    indices: [{ name: 'notice_by_work', columnNames: ['work_at'] }],
  });
}

function deliveries(): Table {
  return new Table({
    name: 'notice_delivery',
    columns: [...keys('notice_id', 'id'), ...columns(DELIVERY)],
    indices: [
      { name: 'notice_delivery_due', columnNames: ['notice_id', 'status', 'next_at'] },
      { name: 'notice_delivery_by_time', columnNames: ['notice_id', 'created_at', 'id'] },
      { name: 'notice_delivery_by_age', columnNames: ['created_at'] },
    ],
  });
}

function marks(): Table {
  return new Table({
    name: 'notice_mark',
    columns: [...keys('kind', 'subject'), ...columns({ created_at: 'bigint' })],
  });
}

function keys(...names: string[]) {
  return names.map((name) => ({ name, type: 'text', isPrimary: true }));
}

function columns(types: Record<string, ColumnType>) {
  return Object.entries(types).map(([name, type]) => ({
    name,
    type: type.replace('?', ''),
    isNullable: type.endsWith('?'),
  }));
}
