import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';

/** Wrong tries at a code by person and chat, so that one person cannot lock out another; `channel.code_tries` counts all of them. */
export class CodeChatTries1795328279655 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(
      new Table({
        name: 'channel_code_try',
        columns: [
          ...['channel_id', 'chat_id', 'user_id'].map((name) => ({ name, type: 'text', isPrimary: true })),
          { name: 'tries', type: 'integer' },
        ],
      }),
    );
    // Locked codes stay locked: 100 is the new limit of tries in total.
    await runner.query('UPDATE channel SET code_tries = 100 WHERE code_tries >= 5');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('UPDATE channel SET code_tries = 5 WHERE code_tries > 5');
    await runner.dropTable('channel_code_try');
  }
}
