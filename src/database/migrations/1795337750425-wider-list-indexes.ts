import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * The indexes of the list's filters contain the sort key, so that selective filters sort without reading rows. Each report changes them
 * anyway: wider indexes cost less than more of them.
 */
export class WiderListIndexes1795337750425 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await replaceIndexes(runner, SORTED_BY);
  }

  async down(runner: QueryRunner): Promise<void> {
    await replaceIndexes(runner, []);
  }
}

const KEYS = {
  thread_by_updated: ['updated_at', 'pk'],
  thread_by_status: ['status', 'updated_at', 'pk'],
  thread_by_model: ['model', 'updated_at', 'pk'],
};
const SORTED_BY = ['started_at', 'total_tokens', 'total_cost_usd'];

async function replaceIndexes(runner: QueryRunner, further: string[]): Promise<void> {
  for (const [name, key] of Object.entries(KEYS)) {
    await runner.query(`DROP INDEX "${name}"`);
    await runner.createIndex('thread', new TableIndex({ name, columnNames: [...key, ...further] }));
  }
}
