import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';

/** Sessions of the console, and the codes to sign in with. */
export class ConsoleSessions1795360801116 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(CODES);
    await runner.createTable(SESSIONS);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('console_session');
    await runner.dropTable('console_code');
  }
}

/** Columns that a code and its session have in common. */
const SHARED = [
  { name: 'scope', type: 'text' },
  { name: 'name', type: 'text' },
  { name: 'token_id', type: 'text', isNullable: true },
  { name: 'created_at', type: 'bigint' },
  { name: 'expires_at', type: 'bigint' },
];

const CODES = new Table({
  name: 'console_code',
  columns: [{ name: 'code_hash', type: 'text', isPrimary: true }, ...SHARED],
});

const SESSIONS = new Table({
  name: 'console_session',
  columns: [
    { name: 'id', type: 'text', isPrimary: true },
    { name: 'cookie_hash', type: 'text' },
    { name: 'key_hash', type: 'text' },
    ...SHARED,
    { name: 'last_used_at', type: 'bigint' },
  ],
  indices: [
    { name: 'console_session_by_key', columnNames: ['key_hash'], isUnique: true },
    { name: 'console_session_by_age', columnNames: ['created_at', 'id'] },
  ],
});
