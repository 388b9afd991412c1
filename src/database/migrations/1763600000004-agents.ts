import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';

/** The agents that have sent heartbeats. */
export class Agents1763600000004 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(
      new Table({
        name: 'agent',
        columns: [
          { name: 'agent_id', type: 'text', isPrimary: true },
          { name: 'endpoint', type: 'text', isNullable: true },
          { name: 'invoke_token', type: 'text', isNullable: true },
          { name: 'last_seen', type: 'bigint' },
        ],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('agent');
  }
}
