import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';

type ColumnType = 'integer' | 'bigint' | 'text' | 'boolean' | 'text?' | 'bigint?' | 'integer?';

const CHANNEL: Record<string, ColumnType> = {
  channel_type: 'text',
  name: 'text',
  config: 'text',
  identity: 'text',
  session_mode: 'text',
  routing_mode: 'text',
  enabled: 'boolean',
  verified: 'boolean',
  verified_by: 'text?',
  profile: 'text?',
  webhook_url: 'text?',
  webhook_secret: 'text?',
  fresh_webhook_secret: 'text?',
  code_digest: 'text?',
  code_expires_at: 'bigint?',
  code_tries: 'integer',
  poll_offset: 'text?',
  poll_owner: 'text?',
  poll_lease_until: 'bigint?',
  created_at: 'bigint',
  updated_at: 'bigint',
};

const CHANNEL_MESSAGE: Record<string, ColumnType> = {
  id: 'text',
  channel_id: 'text',
  direction: 'text',
  kind: 'text',
  dedup_key: 'text',
  external_id: 'text?',
  chat_id: 'text?',
  topic: 'text?',
  user_id: 'text?',
  user_name: 'text?',
  text: 'text',
  payload: 'text?',
  status: 'text',
  reason: 'text?',
  agent_name: 'text?',
  thread_id: 'text?',
  run_id: 'text?',
  turn_at: 'bigint?',
  since_seq: 'integer?',
  since_message: 'integer?',
  attempts: 'integer',
  is_told: 'boolean',
  created_at: 'bigint',
  updated_at: 'bigint',
};

const LANE: Record<string, ColumnType> = {
  work_at: 'bigint?',
  lease_owner: 'text?',
  lease_until: 'bigint?',
  created_at: 'bigint',
};

/** Accounts of messaging platforms, their agents, and the messages received and sent. */
export class Channels1763600000005 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of [channels(), agents(), messages(), sessions(), chats()]) await runner.createTable(table);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of ['channel_chat', 'channel_session', 'channel_message', 'channel_agent', 'channel']) {
      await runner.dropTable(name);
    }
  }
}

function channels(): Table {
  return new Table({
    name: 'channel',
    columns: [...keys('id'), ...columns(CHANNEL)],
    indices: [
      { name: 'channel_by_identity', columnNames: ['channel_type', 'identity'], isUnique: true },
      { name: 'channel_by_webhook_secret', columnNames: ['webhook_secret'] },
      { name: 'channel_by_fresh_webhook_secret', columnNames: ['fresh_webhook_secret'] },
      { name: 'channel_by_time', columnNames: ['created_at', 'id'] },
    ],
  });
}

function agents(): Table {
  return new Table({
    name: 'channel_agent',
    columns: [
      ...keys('channel_id', 'agent_name'),
      ...columns({ is_default: 'boolean', command: 'text?', created_at: 'bigint' }),
    ],
    indices: [{ name: 'channel_agent_by_command', columnNames: ['channel_id', 'command'], isUnique: true }],
  });
}

function messages(): Table {
  return new Table({
    name: 'channel_message',
    columns: [
      { name: 'seq', type: 'integer', isPrimary: true, isGenerated: true, generationStrategy: 'increment' },
      ...columns(CHANNEL_MESSAGE),
    ],
    indices: [
      { name: 'channel_message_by_key', columnNames: ['channel_id', 'direction', 'dedup_key'], isUnique: true },
      { name: 'channel_message_by_id', columnNames: ['id'], isUnique: true },
      { name: 'channel_message_by_channel', columnNames: ['channel_id', 'seq'] },
      { name: 'channel_message_by_thread', columnNames: ['thread_id', 'status', 'seq'] },
      { name: 'channel_message_by_chat', columnNames: ['channel_id', 'chat_id', 'direction', 'status', 'seq'] },
      { name: 'channel_message_by_external_id', columnNames: ['channel_id', 'external_id'] },
    ],
  });
}

function sessions(): Table {
  return new Table({
    name: 'channel_session',
    columns: [...keys('thread_id'), ...columns({ channel_id: 'text', agent_name: 'text', ...LANE })],
    indices: [
      { name: 'channel_session_by_work', columnNames: ['work_at'] },
      { name: 'channel_session_by_agent', columnNames: ['agent_name', 'work_at'] },
    ],
  });
}

function chats(): Table {
  return new Table({
    name: 'channel_chat',
    columns: [
      ...keys('channel_id', 'chat_id'),
      ...columns({ session_chat_id: 'text', closed_reason: 'text?', last_inbound_at: 'bigint?', ...LANE }),
    ],
    indices: [{ name: 'channel_chat_by_work', columnNames: ['work_at'] }],
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
