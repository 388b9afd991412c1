import type { Database, SqlReader } from '../../../../database/database.js';
import type { Checkpoint } from '../../entities/checkpoint.entity.js';
import type { Run } from '../../entities/run.entity.js';
import type { RunLease } from '../../leases/run-lease.entity.js';
import { RunLeasesRepository } from '../../leases/run-leases.repository.js';
import { ListMemoryLimit } from './list-memory-limit.js';
import { JournalRepository } from './journal.repository.js';
import { LastListsRepository } from './last-lists.repository.js';
import { ThreadDraft } from './thread-draft.js';
import { ThreadReader } from './thread-reader.js';
import { NO_LISTS, type RunState, type ThreadState } from '../rules/thread-state.js';

type Version = 'changed' | 'committed' | 'stored';

const TRACE = 't';
const NONE: ReadonlySet<string> = new Set();
const BEHIND = [{ digest: 'a', seq: 4 }];

function runOf(version: Version): RunState {
  const row = {
    thread_pk: 1,
    run_no: 1,
    trace_id: TRACE,
    attempt: 1,
    agent_id: version,
    mark: null,
    ending: null,
  } as Run;
  return { row, mark: null, latest: null, highestStepEver: -1, lastSaid: null, ...NO_LISTS };
}

function leaseOf(version: Version): RunLease {
  return { thread_pk: 1, trace_id: TRACE, lease_no: 1, holder: version } as RunLease;
}

function checkpointOf(version: Version): Checkpoint {
  return { thread_pk: 1, run_no: 1, seq: 5, step_index: 0, status: version } as Checkpoint;
}

/** A thread with these versions of each row, and the statements that its reader runs. */
class World {
  readonly asked: string[] = [];
  readonly draft: ThreadDraft;
  readonly reader: ThreadReader;

  constructor(versions: readonly Version[], isNew = false) {
    const isCommitted = versions.includes('committed');
    const state = {
      row: { pk: 1, last_fence: 1, last_seq: 9 },
      agents: new Map(),
      runs: new Map(isCommitted ? [[1, runOf('committed')]] : []),
      leases: new Map(isCommitted ? [[TRACE, [leaseOf('committed')]]] : []),
    } as unknown as ThreadState;
    this.draft = new ThreadDraft(state, isNew, 0);
    const query = async (sql: string) => {
      this.asked.push(sql);
      if (sql.includes('FROM message')) return BEHIND;
      if (!versions.includes('stored')) return [];
      if (sql.includes('FROM run_lease')) return [leaseOf('stored')];
      if (sql.includes('FROM run ')) return [runOf('stored').row];
      return sql.includes('seq IN') ? [checkpointOf('stored')] : [];
    };
    const database = { dialect: 'sqlite', isShared: false } as Database;
    const leases = new RunLeasesRepository(database);
    const repository = new JournalRepository(database, leases, new LastListsRepository());
    const sql = { query } as unknown as SqlReader;
    this.reader = new ThreadReader(
      this.draft,
      sql,
      repository,
      new ListMemoryLimit(),
      isCommitted ? new Set(['d']) : NONE,
    );
  }
}

/** A kind of row: reads it and returns the version found, or changes it. */
interface Kind {
  read(world: World): Promise<string | undefined>;
  change(world: World): Promise<void>;
}

async function changeRun({ reader, draft }: World): Promise<void> {
  const [run] = await reader.runsOf(TRACE);
  if (run) draft.setRun(run, 'agent_id', 'changed');
  else draft.addRun(runOf('changed'));
}

const KINDS: Record<string, Kind> = {
  'a run': { read: async ({ reader }) => (await reader.runsOf(TRACE))[0]?.row.agent_id, change: changeRun },
  'a run by its number': { read: async ({ reader }) => (await reader.runByNumber(1))?.row.agent_id, change: changeRun },
  'a caller': { read: async ({ reader }) => (await reader.ancestry.rowsOf(TRACE))[0]?.agent_id, change: changeRun },
  'a lease': {
    read: async ({ reader }) => (await reader.leasesOf(TRACE))[0]?.holder,
    change: async ({ reader, draft }) => {
      await reader.leasesOf(TRACE);
      draft.leases.put(leaseOf('changed'));
    },
  },
};

/** Which version wins, and whether the database is asked. */
const RULE: readonly (readonly [changed: boolean, committed: boolean, stored: boolean, counts: Version | undefined])[] =
  [
    [false, false, false, undefined],
    [false, false, true, 'stored'],
    [false, true, false, 'committed'],
    [false, true, true, 'committed'],
    [true, false, false, 'changed'],
    [true, false, true, 'changed'],
    [true, true, false, 'changed'],
    [true, true, true, 'changed'],
  ];

describe('What the transaction changed counts before what this process committed, and that before what is stored', () => {
  describe.each(Object.entries(KINDS))('%s', (_, { read, change }) => {
    it.each(RULE)('changed: %p, committed: %p, stored: %p', async (isChanged, isCommitted, isStored, counts) => {
      const versions: Version[] = [];
      if (isCommitted) versions.push('committed');
      if (isStored) versions.push('stored');
      const world = new World(versions);
      if (isChanged) await change(world);
      world.asked.length = 0;
      expect(await read(world)).toBe(counts);
      expect(world.asked.length > 0).toBe(!isChanged && !isCommitted);
      expect(await read(world)).toBe(counts);
    });
  });

  it('a checkpoint', async () => {
    const { reader, draft } = new World(['stored']);
    const run = { ...runOf('stored'), mark: { status: '', occurredAtMs: null, replayed: [5] } };
    const statusOf = async () => (await reader.replayedOf(run)).map(({ status }) => status);
    expect(await statusOf()).toEqual(['stored']);
    draft.amendCheckpoint(checkpointOf('stored'), { status: 'changed' });
    expect(await statusOf()).toEqual(['changed']);
  });

  it('the digest of an event', () => {
    const [unseen, committed] = [new World([]), new World(['committed'])];
    expect([unseen.reader.isSeen('d'), committed.reader.isSeen('d'), unseen.reader.isSeen(undefined)]).toEqual([
      ...[false, true, false],
    ]);
    unseen.draft.addSeen('d');
    expect(unseen.reader.isSeen('d')).toBe(true);
  });
});

describe('The reader of a thread', () => {
  it('asks nothing of a thread that is new', async () => {
    const { reader, asked } = new World([], true);
    await reader.expect(new Set([TRACE]));
    expect([await reader.messagesBehind(3, NONE), await reader.runsOf(TRACE), await reader.runByNumber(7)]).toEqual([
      ...[[], [], null],
    ]);
    expect(asked).toEqual([]);
  });

  it('asks once for all traces of a batch, and not again for those that have no run', async () => {
    const { reader, asked } = new World([]);
    await reader.expect(new Set([TRACE, 'other']));
    const before = asked.length;
    expect([await reader.runsOf(TRACE), await reader.runsOf('other')]).toEqual([[], []]);
    expect([before, asked.length]).toEqual([2, 2]);
  });

  it('asks again what the log holds', async () => {
    const { reader, asked } = new World(['stored']);
    expect(await reader.messagesBehind(3, NONE)).toEqual(BEHIND);
    expect(await reader.messagesBehind(3, NONE)).toEqual(BEHIND);
    expect(asked).toHaveLength(2);
  });

  it('never lets a run that was loaded replace one in memory', async () => {
    const { draft } = new World(['committed']);
    draft.learn(runOf('stored'));
    expect(draft.peek(1)!.row.agent_id).toBe('committed');
  });
});
