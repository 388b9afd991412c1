import { checkpoint, completed, newThreadId, started } from '../../factories/events.js';
import { newRun, waiting, working, type RunIds } from '../../factories/waiting.js';
import { useClockedApp } from '../../support/clocked-app.js';
import { claimed, settled } from '../../support/effects.js';
import { leased, release } from '../../support/leases.js';
import { problemOf } from '../../support/problem.js';
import { detailOf, listOf, ok, record, recordEach } from '../../support/recording.js';

const app = useClockedApp();
const MINUTE_MS = 60_000;

interface Flagged extends Record<string, unknown> {
  silent: boolean;
  in_doubt: boolean;
}

interface Flags {
  silent: boolean;
  in_doubt: boolean;
}

function flagsIn({ silent, in_doubt }: Flags): Flags {
  return { silent, in_doubt };
}

/** The flags of a thread in its detail and in the list, with and without messages, all of which must agree. */
async function flagsOf(threadId: string): Promise<Flags> {
  const detail = (await detailOf(app.api, threadId)) as Flagged;
  const seen: Flags[] = [flagsIn(detail)];
  for (const more of [{}, { include: 'history' }, { sort: 'started_at' }] as Record<string, string>[]) {
    const { items } = await listOf(app.api, { q: threadId, ...more });
    seen.push(flagsIn(items[0] as Flagged));
  }
  expect(seen).toEqual(seen.map(() => flagsIn(detail)));
  return flagsIn(detail);
}

/** For each run: `run-1 silent`. */
async function runsOf(threadId: string): Promise<string[]> {
  const { run_list } = (await detailOf(app.api, threadId)) as unknown as {
    run_list: (Flagged & { trace_id: string })[];
  };
  return run_list.map(({ trace_id, silent, in_doubt }) => {
    return `${trace_id}${silent ? ' silent' : ''}${in_doubt ? ' in doubt' : ''}`;
  });
}

/** The threads of a group that the list finds; checks that it counts as many. */
async function found(group: string, query: Record<string, string>): Promise<string[]> {
  const { items, total } = await listOf(app.api, { q: group, count: 'true', limit: '200', ...query });
  expect(total).toBe(items.length);
  return items.map(({ thread_id }) => String(thread_id).slice(group.length + 1)).sort();
}

const agentName = (() => {
  let last = 0;
  return () => `agent-${++last}`;
})();

/** A run of an agent that no other test uses. */
async function running(fields: Record<string, unknown> = {}): Promise<RunIds & { agentId: string }> {
  const run = { ...newRun(), agentId: agentName() };
  await record(app.api, working(run, 0, { agent_id: run.agentId, ...fields }));
  return run;
}

function heartbeat(agentId: string) {
  return { type: 'heartbeat', data: { agent_id: agentId } };
}

describe('A thread whose run is under way', () => {
  it('is silent ten minutes after its last event, until the next', async () => {
    const run = await running();
    await app.later(10 * MINUTE_MS - 5000, async () =>
      expect(await flagsOf(run.threadId)).toMatchObject({ silent: false }),
    );
    await app.later(10 * MINUTE_MS, async () => {
      expect(await flagsOf(run.threadId)).toEqual({ silent: true, in_doubt: false });
      expect(await runsOf(run.threadId)).toEqual([`${run.traceId} silent`]);
      await record(app.api, working(run, 1, { agent_id: run.agentId }));
      expect(await flagsOf(run.threadId)).toMatchObject({ silent: false });
      expect(await runsOf(run.threadId)).toEqual([run.traceId]);
    });
  });

  it.each(['approved', 'thinking hard'])('is silent with the status %j, too', async (status) => {
    const run = await running({ status });
    await app.later(10 * MINUTE_MS, async () => {
      expect(await flagsOf(run.threadId)).toMatchObject({ silent: true });
      expect(await found(run.threadId, { silent: 'true' })).toEqual(['']);
    });
  });

  it('is not silent while its agent, or the one that this is a sub-agent of, sends heartbeats', async () => {
    const [own, sub, other] = [await running(), await running(), await running()];
    await record(app.api, working(sub, 1, { agent_id: `${sub.agentId}:search` }));
    await record(app.api, working(other, 1, { agent_id: `${other.agentId}-2` }));
    await app.later(10 * MINUTE_MS, async () => {
      for (const { agentId } of [own, sub, other]) await record(app.api, heartbeat(agentId));
      expect(await flagsOf(own.threadId)).toMatchObject({ silent: false });
      expect(await runsOf(own.threadId)).toEqual([own.traceId]);
      expect(await flagsOf(sub.threadId)).toMatchObject({ silent: false });
      expect(await flagsOf(other.threadId)).toMatchObject({ silent: true });
    });
  });

  it('is not silent while somebody holds its lease', async () => {
    const run = await running();
    const terms = { trace_id: run.traceId, ttl_seconds: 1200 };
    const fence = await leased(app.api, run.threadId, 'worker', terms);
    await app.later(20 * MINUTE_MS, async () => {
      expect(await flagsOf(run.threadId)).toMatchObject({ silent: false });
      expect(await runsOf(run.threadId)).toEqual([run.traceId]);
    });
    await release(app.api, run.threadId, fence, run.traceId);
    await app.later(20 * MINUTE_MS, async () => {
      expect(await flagsOf(run.threadId)).toMatchObject({ silent: true });
      expect(await runsOf(run.threadId)).toEqual([`${run.traceId} silent`]);
    });
  });

  it('is not silent after it was started again, although nothing is new', async () => {
    const run = await running();
    await app.later(11 * MINUTE_MS, async () => {
      const again = { trace_id: run.traceId, agent_id: run.agentId };
      await record(app.api, completed(run.threadId, again), started(run.threadId, again));
    });
    await app.later(20 * MINUTE_MS, async () => {
      expect(await flagsOf(run.threadId)).toMatchObject({ silent: false });
      expect(await runsOf(run.threadId)).toEqual([run.traceId]);
    });
    const restarted = await running();
    await record(app.api, completed(restarted.threadId, { trace_id: restarted.traceId }));
    await app.later(11 * MINUTE_MS, async () => {
      await record(app.api, started(restarted.threadId, { trace_id: restarted.traceId, agent_id: restarted.agentId }));
      expect(await flagsOf(restarted.threadId)).toMatchObject({ silent: false });
      expect(await runsOf(restarted.threadId)).toEqual([restarted.traceId]);
    });
  });

  it('is not silent after an effect was claimed or settled', async () => {
    const run = await running();
    await app.later(9 * MINUTE_MS, async () => {
      await claimed(app.api, run.threadId, { trace_id: run.traceId, agent_id: run.agentId, doubt_after_seconds: 7200 });
    });
    await app.later(18 * MINUTE_MS, async () => {
      expect(await flagsOf(run.threadId)).toEqual({ silent: false, in_doubt: false });
      expect(await runsOf(run.threadId)).toEqual([run.traceId]);
    });
    await app.later(20 * MINUTE_MS, async () => expect(await flagsOf(run.threadId)).toMatchObject({ silent: true }));
  });
});

describe('A thread', () => {
  it('that waits for a person, rests or has ended is never silent', async () => {
    const run = newRun();
    const [idle, ended] = [newThreadId(), newThreadId()];
    await record(app.api, waiting(run, 0));
    await record(app.api, checkpoint(idle, 0), { type: 'thread_idle', data: { thread_id: idle, trace_id: 'run-1' } });
    await record(app.api, checkpoint(ended, 0), completed(ended));
    await app.later(60 * MINUTE_MS, async () => {
      for (const threadId of [run.threadId, idle, ended]) {
        expect(await flagsOf(threadId)).toEqual({ silent: false, in_doubt: false });
        expect((await runsOf(threadId)).filter((text) => text.endsWith('silent'))).toEqual([]);
      }
    });
  });

  it('shows each of its runs for itself: a run waits for those that it called, and its process is theirs', async () => {
    const threadId = newThreadId();
    const of = (trace_id: string, parent_trace_id: string | null = null) => ({
      ...{ trace_id, parent_trace_id },
      agent_id: `${threadId}-${trace_id}`,
    });
    await recordEach(
      ...([app.api] as const),
      started(threadId, of('left')),
      started(threadId, of('top')),
      started(threadId, of('below', 'top')),
      started(threadId, of('idle-below', 'below')),
    );
    await app.later(10 * MINUTE_MS, async () => {
      expect(await runsOf(threadId)).toEqual(['left silent', 'top silent', 'below silent', 'idle-below silent']);
      await record(app.api, checkpoint(threadId, 0, of('below', 'top')));
      expect(await runsOf(threadId)).toEqual(['left silent', 'top', 'below', 'idle-below silent']);
    });
    await app.later(20 * MINUTE_MS, async () => {
      await record(app.api, heartbeat(`${threadId}-below`));
      expect(await runsOf(threadId)).toEqual(['left silent', 'top silent', 'below', 'idle-below']);
    });
  });

  it('is in doubt with its run for as long as one of its effects is', async () => {
    const threadId = newThreadId();
    await record(app.api, checkpoint(threadId, 0), checkpoint(threadId, 0, { trace_id: 'run-2' }));
    await claimed(app.api, threadId);
    expect(await flagsOf(threadId)).toEqual({ silent: false, in_doubt: false });
    await settled(app.api, threadId, { outcome: 'unknown' });
    expect(await flagsOf(threadId)).toEqual({ silent: false, in_doubt: true });
    expect(await runsOf(threadId)).toEqual(['run-1 in doubt', 'run-2']);
    await settled(app.api, threadId, { outcome: 'not_done' });
    expect(await flagsOf(threadId)).toEqual({ silent: false, in_doubt: false });
  });

  it('keeps members of these names that a checkpoint reported to itself', async () => {
    const threadId = newThreadId();
    await record(app.api, checkpoint(threadId, 0, { silent: 'film', in_doubt: 'yes', custom: 1 }));
    for (const path of [`/threads?q=${threadId}`, `/threads?q=${threadId}&include=history`, `/threads/${threadId}`]) {
      const { text } = ok(await app.api.get(path));
      expect(text).not.toMatch(/film|yes/);
      expect(text).toContain('"custom":1');
    }
  });
});

describe('The list of threads', () => {
  const group = newThreadId('flags');
  const idOf = (name: string) => `${group}-${name}`;
  const silentAfter = (work: () => Promise<unknown>) => app.later(10 * MINUTE_MS, work);

  beforeAll(async () => {
    const own = (name: string, fields = {}) => checkpoint(idOf(name), 0, { agent_id: `${group}-${name}`, ...fields });
    await record(app.api, own('quiet'), own('quiet-and-doubtful'), own('doubtful'), own('ended'));
    await record(app.api, own('custom', { status: 'thinking', model: 'small' }), completed(idOf('ended')));
    for (const name of ['quiet-and-doubtful', 'doubtful']) {
      await claimed(app.api, idOf(name), { agent_id: `${group}-${name}` });
      await settled(app.api, idOf(name), { outcome: 'unknown' });
    }
  });

  it('finds what is silent or in doubt, and what is not, together with all other filters', async () => {
    await silentAfter(async () => {
      await record(app.api, checkpoint(idOf('doubtful'), 1, { agent_id: `${group}-doubtful` }));
      const silent = ['custom', 'quiet', 'quiet-and-doubtful'];
      expect(await found(group, { silent: 'true' })).toEqual(silent);
      expect(await found(group, { silent: 'false' })).toEqual(['doubtful', 'ended']);
      expect(await found(group, { in_doubt: 'true' })).toEqual(['doubtful', 'quiet-and-doubtful']);
      expect(await found(group, { in_doubt: 'false' })).toEqual(['custom', 'ended', 'quiet']);
      expect(await found(group, { silent: 'true', in_doubt: 'true' })).toEqual(['quiet-and-doubtful']);
      expect(await found(group, { silent: 'false', in_doubt: 'true' })).toEqual(['doubtful']);
      expect(await found(group, { silent: 'true', status: 'thinking' })).toEqual(['custom']);
      expect(await found(group, { silent: 'true', status: 'completed' })).toEqual([]);
      expect(await found(group, { silent: 'true', model: 'small' })).toEqual(['custom']);
      expect(await found(group, { silent: 'true', agent_id: idOf('quiet') })).toEqual(['quiet']);
      expect(await found(group, { in_doubt: 'true', trace_id: 'run-1' })).toEqual(['doubtful', 'quiet-and-doubtful']);
      const until = new Date(app.clock.nowMs() - 5 * MINUTE_MS).toISOString();
      expect(await found(group, { in_doubt: 'true', until })).toEqual(['quiet-and-doubtful']);
      const since = until;
      expect(await found(group, { silent: 'true', since })).toEqual([]);
    });
  });

  it.each(['updated_at', 'started_at', 'total_tokens', 'total_cost_usd'])('pages through them by %s', async (sort) => {
    await silentAfter(async () => {
      for (const filter of [{ silent: 'true' }, { in_doubt: 'true' }, { silent: 'false' }] as Record<
        string,
        string
      >[]) {
        const whole = await found(group, { ...filter, sort });
        const paged: string[] = [];
        let cursor: Record<string, string> = {};
        do {
          const page = await listOf(app.api, { q: group, limit: '1', sort, ...filter, ...cursor });
          paged.push(...page.items.map(({ thread_id }) => String(thread_id).slice(group.length + 1)));
          cursor = page.next_cursor === null ? {} : { cursor: page.next_cursor };
        } while (cursor.cursor);
        expect(paged.sort()).toEqual(whole);
      }
    });
  });

  it('needs no searched text for it', async () => {
    await silentAfter(async () => {
      for (const filter of [{ silent: 'true' }, { in_doubt: 'true' }] as Record<string, string>[]) {
        const { items, total } = await listOf(app.api, { ...filter, count: 'true', limit: '200' });
        expect(items.every((item) => flagsMatch(item as Flagged, filter))).toBe(true);
        expect(items.map(({ thread_id }) => thread_id)).toContain(idOf('quiet-and-doubtful'));
        expect(total).toBe(items.length);
      }
    });
  });

  it('shows a bound reader only its own', async () => {
    const { api } = await app.tokenOf('reader', { agent_ids: [idOf('quiet')] });
    await silentAfter(async () => {
      const page = await listOf(api, { silent: 'true', count: 'true' });
      expect([page.items.map(({ thread_id }) => thread_id), page.total]).toEqual([[idOf('quiet')], 1]);
      expect(await listOf(api, { in_doubt: 'true', count: 'true' })).toMatchObject({ items: [], total: 0 });
    });
  });

  it.each(['silent', 'in_doubt'])('refuses another value of %s', async (name) => {
    for (const value of ['1', 'yes', 'TRUE']) {
      const problem = problemOf(await app.api.get(`/threads?${name}=${value}`), 400);
      expect(problem).toMatchObject({ errors: [{ path: name, detail: 'must be true or false' }] });
    }
  });

  it('leaves the number of silent threads to the metrics', async () => {
    const text = ok(await app.api.get('/metrics')).text;
    expect(text).toMatch(/^waystation_threads_silent \d+$/m);
  });
});

function flagsMatch(item: Flagged, filter: Record<string, string>): boolean {
  return Object.entries(filter).every(([name, value]) => String(item[name]) === value);
}
