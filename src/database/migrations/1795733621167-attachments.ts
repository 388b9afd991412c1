import { Table, type MigrationInterface, type QueryRunner } from 'typeorm';

/** Files that agents send to chats, and their bytes. */
export class Attachments1795733621167 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.createTable(attachments());
    await runner.createTable(pieces());
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropTable('attachment_piece');
    await runner.dropTable('attachment');
  }
}

function attachments(): Table {
  return new Table({
    name: 'attachment',
    columns: [
      { name: 'id', type: 'text', isPrimary: true },
      { name: 'thread_id', type: 'text', isNullable: true },
      { name: 'digest', type: 'text', isNullable: true },
      { name: 'size_bytes', type: 'integer' },
      { name: 'created_at', type: 'bigint' },
    ],
    indices: [
      { name: 'attachment_of_thread', columnNames: ['thread_id', 'digest'], isUnique: true },
      { name: 'attachment_by_age', columnNames: ['created_at'] },
    ],
  });
}

function pieces(): Table {
  return new Table({
    name: 'attachment_piece',
    columns: [
      { name: 'attachment_id', type: 'text', isPrimary: true },
      { name: 'piece_no', type: 'integer', isPrimary: true },
      { name: 'data', type: 'text' },
    ],
  });
}
