import { SharedFeatures } from '../../../common/shared-features.js';
import type { Database, SqlReader } from '../../../database/database.js';
import { RunLeasesRepository } from '../leases/run-leases.repository.js';
import { NO_LEASES } from '../leases/thread-leases.js';
import { HeldLists } from './held-lists.js';
import { JournalRepository } from './journal.repository.js';
import { LastListsRepository } from './last-lists.repository.js';
import { StoredRows } from './stored-rows.js';
import { ThreadDraft } from './thread-draft.js';
import type { ThreadState } from './thread-state.js';

const NONE: ReadonlySet<string> = new Set();
const BEHIND = [{ digest: 'a', seq: 4 }];
const STATE = {
  row: { pk: 1, last_fence: 0 },
  agents: new Map(),
  runs: new Map(),
  leases: NO_LEASES,
} as unknown as ThreadState;

/** @param asked gets the statements that were run */
function storedRows({ isNew }: { isNew: boolean }, asked: string[] = []): StoredRows {
  const query = async (sql: string) => {
    asked.push(sql);
    return sql.includes('FROM message') ? BEHIND : [];
  };
  const reader = { query } as unknown as SqlReader;
  const database = { dialect: 'sqlite', isShared: false } as Database;
  return new StoredRows(
    new ThreadDraft(STATE, isNew, 0),
    reader,
    new JournalRepository(database, new RunLeasesRepository(database), new LastListsRepository(), new SharedFeatures()),
    new HeldLists(),
  );
}

describe('The stored rows of a thread', () => {
  it('are missing until they are loaded', async () => {
    const stored = storedRows({ isNew: false });
    expect([stored.messagesBehind(3, NONE), stored.isMissing]).toEqual([[], true]);
    await stored.load();
    expect([stored.messagesBehind(3, NONE), stored.isMissing]).toEqual([BEHIND, false]);
  });

  it('are looked up again for the next event', async () => {
    const stored = storedRows({ isNew: false });
    await stored.find(() => stored.messagesBehind(3, NONE));
    stored.forgetAnswers();
    expect([stored.messagesBehind(3, NONE), stored.isMissing]).toEqual([[], true]);
  });

  it('are never missing where the thread is new', () => {
    const stored = storedRows({ isNew: true });
    stored.expect(new Set(['t-1']));
    expect([stored.messagesBehind(3, NONE), stored.runsOf('t-1'), stored.runByNumber(7)]).toEqual([[], [], null]);
    expect(stored.isMissing).toBe(false);
  });

  it('are asked once for all traces of a batch, and not again for those that have no run', async () => {
    const asked: string[] = [];
    const stored = storedRows({ isNew: false }, asked);
    stored.expect(new Set(['t-1', 't-2']));
    await stored.load();
    expect([stored.runsOf('t-1'), stored.runsOf('t-2'), stored.isMissing]).toEqual([[], [], false]);
    expect(asked).toHaveLength(1);
  });
});
