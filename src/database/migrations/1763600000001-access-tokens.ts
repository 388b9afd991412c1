import { Table, TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

/** Tokens besides the machine secret, and the check that all instances share that secret. */
export class AccessTokens1763600000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(accessTokenTable());
    await runner.createTable(
      new Table({
        name: 'key_check',
        columns: [
          { name: 'id', type: 'integer', isPrimary: true },
          { name: 'digest', type: 'text' },
        ],
      }),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('key_check');
    await runner.dropTable('access_token');
  }
}

function accessTokenTable(): Table {
  return new Table({
    name: 'access_token',
    columns: [
      { name: 'id', type: 'text', isPrimary: true },
      { name: 'token_hash', type: 'text' },
      { name: 'scope', type: 'text' },
      { name: 'name', type: 'text', isNullable: true },
      { name: 'agent_ids', type: 'text', isNullable: true },
      { name: 'created_at', type: 'bigint' },
      { name: 'expires_at', type: 'bigint', isNullable: true },
    ],
    indices: [
      new TableIndex({ name: 'access_token_by_hash', columnNames: ['token_hash'], isUnique: true }),
      new TableIndex({ name: 'access_token_by_age', columnNames: ['created_at', 'id'] }),
      new TableIndex({ name: 'access_token_by_expiry', columnNames: ['expires_at'] }),
    ],
  });
}
