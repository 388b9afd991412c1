import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * PostgreSQL sorts the ids of threads as SQLite does, by their code points, whatever the language of the database: so its index finds
 * those that begin with a text. It builds that index again, but does not write the table.
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
