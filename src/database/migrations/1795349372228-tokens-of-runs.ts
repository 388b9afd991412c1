import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

const BY_PARENT = new TableIndex({ name: 'access_token_by_parent', columnNames: ['parent_id'] });

/** Tokens created by a token, and the runs that they are for. */
export class TokensOfRuns1795349372228 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const column of COLUMNS) await runner.query(`ALTER TABLE "access_token" ADD COLUMN "${column}" text`);
    await runner.createIndex('access_token', BY_PARENT);
  }

  /** Deletes these tokens, because an older server would not enforce their restrictions. */
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DELETE FROM "access_token" WHERE parent_id IS NOT NULL OR run IS NOT NULL');
    await runner.dropIndex('access_token', BY_PARENT);
    for (const column of COLUMNS) await runner.query(`ALTER TABLE "access_token" DROP COLUMN "${column}"`);
  }
}

const COLUMNS = ['parent_id', 'run'];
