import fc from 'fast-check';
import { LEAF_BYTES, rowBytes } from '../../../src/database/sqlite-leaf.js';
import { SqliteConnection } from '../../../src/database/sqlite-connection.js';
import { Database } from '../../../src/database/database.js';
import { checkpoint, newThreadId } from '../../factories/events.js';
import { startApp } from '../../support/in-process-app.js';
import { latestOf, record } from '../../support/recording.js';

/** Bytes that are free on each page of the table, in the order of its rows. */
const FREE = `SELECT unused FROM dbstat WHERE name = 'message' AND pagetype = 'leaf' ORDER BY path`;

/** Numbers from here on take four bytes, as is assumed of all. */
const FIRST_ROW = 3_000_000;

describe('The pages of SQLite', () => {
  it('have the room that is worked out, whatever rows they take', async () => {
    const texts = fc.oneof(
      fc.integer({ min: 1, max: 90 }),
      fc.integer({ min: 50, max: 2_500 }),
      fc.integer({ min: 7_900, max: 30_000 }),
    );
    const rows = fc.array(fc.record({ pk: fc.nat(40_000), seq: fc.nat(200), bytes: texts, hasDigest: fc.boolean() }), {
      minLength: 10,
      maxLength: 120,
    });
    await fc.assert(
      fc.asyncProperty(rows, async (all) => {
        const connection = await SqliteConnection.open(':memory:', 'write');
        await connection.execute(
          'PRAGMA page_size = 8192; CREATE TABLE message (thread_pk integer, list integer, seq integer, digest text, body text)',
        );
        const expected: number[] = [];
        let free = LEAF_BYTES;
        for (const [n, { pk, seq, bytes, hasDigest }] of all.entries()) {
          const digest = hasDigest ? 'd'.repeat(22) : null;
          await connection.query(
            `INSERT INTO message(rowid, thread_pk, list, seq, digest, body) VALUES ($1, $2, $3, $4, $5, $6)`,
            [FIRST_ROW + n, pk, n % 2, seq, digest, 'x'.repeat(bytes)],
          );
          const taken = rowBytes([pk, n % 2, seq, hasDigest ? { textBytes: 22 } : null, { textBytes: bytes }]);
          if (taken > free) {
            expected.push(free);
            free = LEAF_BYTES;
          }
          free -= taken;
        }
        const found = await connection.query<{ unused: number }>(FREE);
        await connection.close();
        expect(found.map(({ unused }) => unused)).toEqual([...expected, free]);
      }),
      { numRuns: 30 },
    );
  });

  it('are filled with the messages of reporters that report at once, which read back as they were', async () => {
    const server = await startApp();
    try {
      const threadIds = Array.from({ length: 24 }, newThreadId);
      const said = new Map<string, unknown[]>(threadIds.map((id) => [id, []]));
      for (let step = 0; step < 12; step++) {
        await Promise.all(
          threadIds.map(async (id, n) => {
            const history = said.get(id)!;
            for (const role of ['user', 'assistant']) {
              history.push({
                role,
                content: `${step}ü`.padEnd(600 + ((n * 37 + step * 101 + history.length * 53) % 1_100), 'x'),
              });
            }
            const meta = history.map(() => ({ ts: '2026-11-25T08:00:00.000Z' }));
            await record(server.api, checkpoint(id, step, { history: [...history], history_meta: meta }));
          }),
        );
      }
      for (const id of threadIds) expect((await latestOf(server.api, id)).history).toEqual(said.get(id));
      const database = server.app.get(Database, { strict: false });
      const free = await database.read<{ unused: number }>(FREE);
      const lost = free.slice(0, -1).reduce((sum, { unused }) => sum + unused, 0);
      expect(lost / (free.length - 1) / LEAF_BYTES).toBeLessThan(0.06); // rows as they come lose 0.08
    } finally {
      await server.stop();
    }
  });
});
