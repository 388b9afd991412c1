import fc from 'fast-check';
import { conversation, type RunnerEvent } from './events.js';

/** Who reports: two tokens, each bound to the agent of its name, and one that may speak for all. */
export type Who = 'alpha' | 'beta' | 'all';

export interface Step {
  who: Who;
  /** Without their thread. The content of each carries a mark of its own. */
  events: RunnerEvent[];
}

interface Draft {
  type: string;
  agent: number;
  trace: number;
  parent: number;
  step: number | undefined;
  status: string;
  id: number;
  salt: number;
}

const draft: fc.Arbitrary<Draft> = fc.record({
  type: fc.constantFrom('thread_started', 'checkpoint', 'checkpoint', 'checkpoint', 'thread_completed', 'custom_note'),
  agent: fc.nat(5),
  trace: fc.nat(5),
  parent: fc.nat(9),
  step: fc.option(fc.nat(3), { nil: undefined }),
  status: fc.constantFrom('in_progress', 'in_progress', 'waiting_for_approval'),
  id: fc.nat(9),
  salt: fc.nat(3),
});

const drafts = fc.array(
  fc.record({
    who: fc.constantFrom<Who>('alpha', 'beta', 'all'),
    events: fc.array(draft, { minLength: 1, maxLength: 3 }),
  }),
  { minLength: 2, maxLength: 9 },
);

/** Traces and ids that all of them use; those of the others can be guessed. */
const TRACES: Record<Who, (string | undefined)[]> = {
  alpha: ['a1', 'a1', 't1', 't2', 'u1', undefined],
  beta: ['b1', 'b1', 't1', 'a1', 'u1', undefined],
  all: ['u1', 'u2', 't1', 't2', 'u1', undefined],
};
const AGENTS: Record<Exclude<Who, 'all'>, (string | undefined)[]> = {
  alpha: ['alpha', 'alpha', 'alpha:sub', 'alpha', undefined, 'beta'],
  beta: ['beta', 'beta', 'beta', 'beta', undefined, 'gamma'],
};
/** Who may speak for all uses a trace for one agent only. */
const AGENT_OF_TRACE: Readonly<Record<string, string>> = { t1: 'alpha', t2: 'beta' };
const PARENTS: Record<Exclude<Who, 'all'>, string[]> = {
  alpha: ['u1', 't1', 'b1', 'a1'],
  beta: ['u1', 't1', 'a1', 'b1'],
};
/** Only one run of its own is below those of the others: what these report is not below each other's. */
const PARENTS_OF_TRACE: Readonly<Record<string, string[]>> = {
  u1: ['u1'],
  u2: ['a1', 'b1', 'u1'],
  t1: ['u1'],
  t2: ['u1'],
};

/** Batches of three reporters in one thread that begin, join, guess traces, parents and ids, wait and end. */
export const STRANGER_SCRIPTS: fc.Arbitrary<Step[]> = drafts.map((rows) => {
  let marks = 0;
  const begun = new Set<string>();
  return rows.map(({ who, events }) => ({
    who,
    events: events.map((row) => toEvent(who, row, (marks += 1), begun)),
  }));
});

/**
 * The token that may speak for all is as clear as its clients are: it names agents with traces, begins with a run of its own, and names
 * parents behind that.
 */
function toEvent(who: Who, row: Draft, mark: number, begun: Set<string>): RunnerEvent {
  const isAll = who === 'all';
  const trace = isAll && begun.size === 0 ? 'u1' : TRACES[who][row.trace];
  const agent = isAll ? (AGENT_OF_TRACE[trace ?? ''] ?? 'gamma') : AGENTS[who][row.agent];
  const parent = (isAll ? (PARENTS_OF_TRACE[trace ?? ''] ?? []) : PARENTS[who])[row.parent];
  const isParentThere = !isAll || begun.size > 0;
  const type = isAll && begun.size === 0 ? 'thread_started' : row.type;
  if (isAll && trace !== undefined) begun.add(trace);
  const data = {
    trace_id: trace,
    agent_id: agent,
    ...(type === 'custom_note' ? { note: `mark-${mark}` } : {}),
    ...(type === 'thread_completed' ? { tokens_used: 7 } : {}),
    ...(type === 'checkpoint' ? content(row, mark) : {}),
    ...(type === 'thread_started' || type === 'checkpoint'
      ? { parent_trace_id: isParentThere ? parent : undefined }
      : {}),
  };
  const id = row.id < 3 ? { id: `event-${row.id}-${row.salt}` } : {};
  return { type, data, ...id };
}

function content({ step, status, salt }: Draft, mark: number): Record<string, unknown> {
  const history = [...conversation(2 * salt), { role: 'assistant', content: `mark-${mark}` }];
  return { step_index: step, status, history, tokens_used: mark };
}
