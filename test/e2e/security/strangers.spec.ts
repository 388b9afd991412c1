import { newThreadId } from '../../factories/events.js';
import { STRANGER_SCRIPTS, type Step, type Who } from '../../factories/stranger-scripts.js';
import type { ApiClient } from '../../support/api-client.js';
import { isParentUnclear, visibleMarks } from '../../support/model/visibility-model.js';
import { EVENTS, latestPath } from '../../support/recording.js';
import { assertSearching, searchMs } from '../../support/search-seconds.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

const SEARCH_MS = searchMs(2);
const seed = Number(process.env.WAYSTATION_TEST_SEED ?? 20_261_122);
const QUESTIONS: Record<string, string>[] = [
  {},
  ...['alpha', 'alpha:sub', 'beta', 'gamma'].map((agent_id) => ({ agent_id })),
  ...['t1', 't2', 'a1', 'b1', 'u1', 'u2'].map((trace_id) => ({ trace_id })),
  { trace_id: 't1', agent_id: 'alpha' },
  { trace_id: 't1', agent_id: 'gamma' },
];

async function bound(agentId: string): Promise<ApiClient> {
  const made = await server.api.post('/v1/tokens', { scope: 'runner', agent_ids: [agentId] });
  return server.api.as(made.json<{ token: string }>().token);
}

/** Without values that must differ: thread names, generated run names, times. */
function comparable(text: string): unknown {
  return JSON.parse(text, (key, value: unknown) => {
    if (key === 'thread_id' || key === 'updated_at' || key === 'instance') return undefined;
    const isGenerated = key === 'trace_id' && typeof value === 'string' && value.length > 10;
    return isGenerated ? 'generated' : value;
  });
}

async function askAll(api: ApiClient, threadId: string): Promise<unknown[]> {
  const ask = async (query: Record<string, string>) => {
    const { status, text } = await api.get(latestPath(threadId, query));
    return [query, status, comparable(text)];
  };
  return Promise.all(QUESTIONS.map(ask));
}

/** A thread to which only some tokens report, and their responses. */
class Stage {
  readonly threadId = newThreadId('strangers');

  constructor(private readonly apis: Readonly<Record<Who, ApiClient>>) {}

  async post({ who, events }: Step): Promise<unknown> {
    const named = events.map((event) => ({ ...event, data: { ...event.data, thread_id: this.threadId } }));
    const { status, text } = await this.apis[who].post(EVENTS, { events: named });
    return [status, comparable(text)];
  }

  ask(who: Who): Promise<unknown[]> {
    return askAll(this.apis[who], this.threadId);
  }
}

describe('Tokens that are bound to other agents', () => {
  it(
    'might as well not be there, whatever they report',
    async () => {
      const apis = { alpha: await bound('alpha'), beta: await bound('beta'), all: server.api };
      const play = async (steps: readonly Step[]): Promise<void> => {
        const common = new Stage(apis);
        const alone = { alpha: new Stage(apis), beta: new Stage(apis), all: new Stage(apis) };
        for (const step of steps) {
          const stages = step.who === 'all' ? Object.values(alone) : [alone[step.who]];
          const [answer, ...others] = await Promise.all([common, ...stages].map((stage) => stage.post(step)));
          for (const other of others) expect(other).toEqual(answer);
        }
        for (const who of ['alpha', 'beta'] as const) {
          const seen = await common.ask(who);
          if (!isParentUnclear(steps, who)) expect(seen).toEqual(await alone[who].ask(who));
          const marks = new Set(JSON.stringify(seen).match(/mark-\d+/g));
          expect([...marks].filter((mark) => !visibleMarks(steps, who).has(mark))).toEqual([]);
        }
        if (isOwnOnly(steps)) expect(await unasked(common, 'all')).toEqual(await unasked(alone.all, 'all'));
      };
      await assertSearching(STRANGER_SCRIPTS, play, { seed, ms: SEARCH_MS });
    },
    SEARCH_MS + 100_000,
  );
});

/** Whether the unbound token reports only for its own agent, and reports anything at all: then it needs no other token. */
function isOwnOnly(steps: readonly Step[]): boolean {
  const events = steps.filter(({ who }) => who === 'all').flatMap((step) => step.events);
  const isOwn = ({ data }: Step['events'][number]) =>
    (data.agent_id === undefined || data.agent_id === 'gamma') && !/^[ab]/.test(String(data.parent_trace_id ?? ''));
  return events.length > 0 && events.every(isOwn);
}

/** The responses without a filter, and for its own agent. */
async function unasked(stage: Stage, who: Who): Promise<unknown[]> {
  return (await stage.ask(who)).slice(0, 1);
}
