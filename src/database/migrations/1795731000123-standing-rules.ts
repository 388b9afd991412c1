import { Table, TableColumn, TableIndex, type MigrationInterface, type QueryRunner } from 'typeorm';

const RULE_OF_APPROVAL = new TableColumn({ name: 'rule_id', type: 'text', isNullable: true });
const BY_RULE = new TableIndex({
  name: 'approval_by_rule',
  columnNames: ['rule_id', 'created_at', 'thread_pk', 'seq'],
});

/** Standing decisions on all calls of a kind, their number of uses, and the approvals that they decided. */
export class StandingRules1795731000123 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(rules());
    await runner.createTable(uses());
    await runner.addColumn('approval', RULE_OF_APPROVAL);
    await runner.createIndex('approval', BY_RULE);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropIndex('approval', BY_RULE);
    await runner.dropColumn('approval', RULE_OF_APPROVAL);
    await runner.dropTable('approval_rule_use');
    await runner.dropTable('approval_rule');
  }
}

function rules(): Table {
  return new Table({
    name: 'approval_rule',
    columns: [
      { name: 'id', type: 'text', isPrimary: true },
      { name: 'effect', type: 'text' },
      { name: 'rule', type: 'text' },
      { name: 'created_at', type: 'bigint' },
      { name: 'created_by', type: 'text', isNullable: true },
      { name: 'created_through', type: 'text' },
      { name: 'expires_at', type: 'bigint', isNullable: true },
      { name: 'revoked_at', type: 'bigint', isNullable: true },
      { name: 'revoked_by', type: 'text', isNullable: true },
      { name: 'revoked_through', type: 'text', isNullable: true },
      { name: 'uses', type: 'bigint' },
      { name: 'amount', type: 'text' },
      { name: 'last_used_at', type: 'bigint', isNullable: true },
    ],
    indices: [{ name: 'approval_rule_by_time', columnNames: ['created_at', 'id'] }],
  });
}

function uses(): Table {
  return new Table({
    name: 'approval_rule_use',
    columns: [
      { name: 'rule_id', type: 'text', isPrimary: true },
      { name: 'uses_before', type: 'bigint', isPrimary: true },
      { name: 'amount_before', type: 'text' },
      { name: 'used_at', type: 'bigint' },
    ],
    indices: [
      { name: 'approval_rule_use_by_rule', columnNames: ['rule_id', 'used_at', 'uses_before'] },
      { name: 'approval_rule_use_by_time', columnNames: ['used_at'] },
    ],
  });
}
