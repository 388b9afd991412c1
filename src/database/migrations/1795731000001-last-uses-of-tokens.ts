import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';

/** When a token was last used, so that people see unused ones. */
export class LastUsesOfTokens1795731000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const column = new TableColumn({ name: 'last_used_at', type: 'bigint', isNullable: true });
    await runner.addColumn('access_token', column);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropColumn('access_token', 'last_used_at');
  }
}
