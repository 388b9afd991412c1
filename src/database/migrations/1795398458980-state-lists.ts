import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

const INDEXES = {
  state_checkpoint_of_thread: ['thread_pk', 'position', 'place'],
  state_checkpoint_of_agent: ['agent', 'position', 'thread_pk', 'place'],
};

/** Indexes for ordered lists of checkpoints by thread, namespace and agent. */
export class StateLists1795398458980 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await replaceIndex(runner, ['thread_pk', 'ns', 'position', 'place']);
    for (const [name, columnNames] of Object.entries(INDEXES)) {
      await runner.createIndex('state_checkpoint', new TableIndex({ name, columnNames }));
    }
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(INDEXES)) await runner.query(`DROP INDEX "${name}"`);
    await replaceIndex(runner, ['thread_pk', 'ns', 'position']);
  }
}

async function replaceIndex(runner: QueryRunner, columnNames: string[]): Promise<void> {
  await runner.query('DROP INDEX "state_checkpoint_in_thread"');
  await runner.createIndex('state_checkpoint', new TableIndex({ name: 'state_checkpoint_in_thread', columnNames }));
}
