import { TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

const ACTIVE = new TableIndex({
  name: 'approval_rule_active',
  columnNames: ['expires_at', 'id'],
  where: 'revoked_at IS NULL',
});

/** Which rules are active: each transaction that opens tool calls asks, however many have been revoked. */
export class ActiveRules1795774000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createIndex('approval_rule', ACTIVE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('approval_rule', ACTIVE);
  }
}
