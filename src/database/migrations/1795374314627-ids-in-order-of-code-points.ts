import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * PostgreSQL sorts thread ids by code points, as SQLite does, whatever the database's collation, so that its index finds ids by prefix.
 * Rebuilds the index without writing the table.
 */
export class IdsInOrderOfCodePoints1795374314627 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await this.sortBy(runner, 'COLLATE "C"');
  }

  async down(runner: QueryRunner): Promise<void> {
    await this.sortBy(runner, '');
  }

  private async sortBy(runner: QueryRunner, collation: string): Promise<void> {
    if (runner.connection.options.type !== 'postgres') return;
    await runner.query(`ALTER TABLE "thread" ALTER COLUMN "id" TYPE text ${collation}`);
  }
}
