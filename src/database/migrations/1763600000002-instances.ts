import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';

/** The API servers that run on this storage. */
export class Instances1763600000002 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(
      new Table({
        name: 'instance',
        columns: [
          { name: 'id', type: 'text', isPrimary: true },
          { name: 'host', type: 'text' },
          { name: 'pid', type: 'integer' },
          { name: 'version', type: 'text' },
          { name: 'started_at', type: 'bigint' },
          { name: 'last_seen', type: 'bigint' },
        ],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('instance');
  }
}
