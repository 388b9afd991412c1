import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

const ACTIVE = new TableIndex({
  name: 'approval_rule_active',
  columnNames: ['expires_at', 'id'],
  where: 'revoked_at IS NULL',
});

/** Finds active rules quickly, however many have been revoked: each transaction that opens tool calls asks for them. */
export class ActiveRules1795774000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createIndex('approval_rule', ACTIVE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('approval_rule', ACTIVE);
  }
}
