import type { MigrationInterface, QueryRunner } from 'typeorm';

const LISTS = ['history', 'history_meta'] as const;
/** Rows read at once. */
const PAGE = 200;

/** Checkpoints whose lists have very many ranges may refer to an earlier row for the beginning. */
export class ContinuedLists1795410754916 implements MigrationInterface {
  /** Not through the Table API, which copies whole tables on SQLite. */
  async up(runner: QueryRunner): Promise<void> {
    for (const list of LISTS) {
      await runner.query(`ALTER TABLE "checkpoint" ADD COLUMN "${list}_from" integer`);
      await runner.query(`ALTER TABLE "checkpoint" ADD COLUMN "${list}_from_length" integer`);
    }
  }

  /** Restores each row's complete lists. */
  async down(runner: QueryRunner): Promise<void> {
    for (const list of LISTS) {
      await makeWhole(runner, list);
      await runner.query(`ALTER TABLE "checkpoint" DROP COLUMN "${list}_from_length"`);
      await runner.query(`ALTER TABLE "checkpoint" DROP COLUMN "${list}_from"`);
    }
  }
}

interface Place {
  thread_pk: number;
  seq: number;
}

/** Goes by ascending number, so that the row that another continues from is already complete. */
async function makeWhole(runner: QueryRunner, list: (typeof LISTS)[number]): Promise<void> {
  for (;;) {
    const places = (await runner.query(
      `SELECT thread_pk, seq FROM checkpoint WHERE ${list}_from IS NOT NULL ORDER BY thread_pk, seq LIMIT ${PAGE}`,
    )) as Place[];
    for (const { thread_pk, seq } of places) {
      await runner.query(
        `UPDATE checkpoint SET ${list} = (SELECT substr(b.${list}, 1, checkpoint.${list}_from_length) FROM checkpoint b
           WHERE b.thread_pk = checkpoint.thread_pk AND b.seq = checkpoint.${list}_from) || ',' || ${list},
         ${list}_from = NULL, ${list}_from_length = NULL WHERE thread_pk = ${Number(thread_pk)} AND seq = ${Number(seq)}`,
      );
    }
    if (places.length < PAGE) return;
  }
}
