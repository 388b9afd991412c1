import { TableColumn, TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

const BY_MAKER = new TableIndex({ name: 'access_token_by_maker', columnNames: ['created_by'] });

/** The token that created each token; for existing ones known only if that was a runner token. */
export class MakersOfTokens1795691739948 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.addColumn('access_token', new TableColumn({ name: 'created_by', type: 'text', isNullable: true }));
    await runner.query('UPDATE "access_token" SET "created_by" = "parent_id"');
    await runner.createIndex('access_token', BY_MAKER);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('access_token', BY_MAKER);
    await runner.dropColumn('access_token', 'created_by');
  }
}
