import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';

const KEY = { isPrimary: true };

const CHECKPOINTS = {
  name: 'state_checkpoint',
  columns: [
    { name: 'thread_pk', type: 'integer', ...KEY },
    { name: 'place', type: 'text', ...KEY },
    { name: 'agent', type: 'text' },
    { name: 'ns', type: 'text' },
    { name: 'checkpoint_id', type: 'text' },
    { name: 'position', type: 'text' },
    { name: 'parent_id', type: 'text', isNullable: true },
    { name: 'type', type: 'text' },
    { name: 'data', type: 'text' },
    { name: 'metadata', type: 'text' },
    { name: 'members', type: 'text' },
    { name: 'channels', type: 'text' },
    { name: 'digest', type: 'text' },
    { name: 'created_at', type: 'bigint' },
  ],
  indices: [
    { name: 'state_checkpoint_in_thread', columnNames: ['thread_pk', 'ns', 'position'] },
    { name: 'state_checkpoint_in_order', columnNames: ['position', 'thread_pk', 'place'] },
  ],
};

const VALUES = {
  name: 'state_value',
  columns: [
    { name: 'thread_pk', type: 'integer', ...KEY },
    { name: 'agent', type: 'text', ...KEY },
    { name: 'digest', type: 'text', ...KEY },
    { name: 'data', type: 'text' },
  ],
};

const WRITES = {
  name: 'state_write',
  columns: [
    { name: 'thread_pk', type: 'integer', ...KEY },
    { name: 'place', type: 'text', ...KEY },
    { name: 'task_id', type: 'text', ...KEY },
    { name: 'idx', type: 'integer', ...KEY },
    { name: 'agent', type: 'text' },
    { name: 'task_path', type: 'text' },
    { name: 'channel', type: 'text' },
    { name: 'type', type: 'text' },
    { name: 'data', type: 'text' },
  ],
};

/** The states of graphs, for LangGraph's checkpointers. */
export class GraphStates1795377400000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const table of [CHECKPOINTS, VALUES, WRITES]) await runner.createTable(new Table(table));
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const { name } of [WRITES, VALUES, CHECKPOINTS]) await runner.dropTable(name);
  }
}
