import {
  RunContext,
  RunResult,
  RunState,
  Runner,
  type AgentInputItem,
  type NonStreamRunOptions,
  type RunToolApprovalItem,
} from '@openai/agents-core';
import {
  StateStore,
  WaystationApi,
  WaystationClient,
  bytesOf,
  givenRun,
  type CallDecision,
  type Run,
  type RunIds,
} from '@waystation/client';

type AnyAgent = Parameters<Runner['run']>[0];
type AnyState = Pick<RunState<unknown, AnyAgent>, 'approve' | 'getInterruptions' | 'history' | 'reject' | 'usage'>;

/** The options of the SDK's `run`, and those for asking people. */
export interface RunWithApprovalsOptions<Context, A extends AnyAgent> extends NonStreamRunOptions<Context, A> {
  /** The thread that shows the run. Default: `WAYSTATION_THREAD_ID`, set by `waystation agent` for its programs. */
  threadId?: string;
  /** The agent; the token must permit it. Default: `WAYSTATION_AGENT_ID`, otherwise `openai-agents`. */
  agentId?: string;
  /** Default: as for `WaystationClient`. */
  apiUrl?: string;
  /** A token of scope `runner`. Default: as for `WaystationClient`. */
  token?: string;
  /** Default: one with the SDK's defaults. */
  runner?: Runner;
  /** Seconds after which undecided calls count as rejected; 0, the default, for never. */
  approvalTimeoutSeconds?: number;
}

/** An agent that has stopped: it waits for a person, or is done. */
interface Stop<Context, A extends AnyAgent> {
  /** Number of the stop within the run. */
  number: number;
  state: RunState<Context, A>;
}

/** Milliseconds for delivering the run's end while the server is away. */
const LAST_DELIVERY_MS = 30_000;

/**
 * Runs an agent like the SDK's `run`. If its tools need approval, it stores the run's state, asks people, waits even while the server is
 * away, and continues. A run of the thread that has begun and not ended continues from its last stop, in any process, without `input`;
 * nobody is asked again. The stored state contains the `context` as JSON: keep secrets out of it.
 *
 * If a process dies between a decision and the next stop, the next process calls the approved tools again: claim calls with side effects as
 * effects. Only one process at a time may drive the run.
 * @returns the result of the whole run, without interruptions
 * @throws Error without a thread; NoDecisionError when nobody can decide any more, or a person has cancelled the run; the agent's error,
 * which fails the run; the reason of `signal`, which leaves the run as it is
 */
export async function runWithApprovals<A extends AnyAgent, Context = undefined>(
  agent: A,
  input: string | AgentInputItem[],
  options: RunWithApprovalsOptions<Context, A> = {},
): Promise<RunResult<Context, A>> {
  const { threadId, agentId, apiUrl, token, runner = new Runner(), approvalTimeoutSeconds = 0, ...rest } = options;
  const given = givenRun();
  const thread = threadId ?? given.thread_id;
  if (!thread) throw new Error('The run has no threadId.');
  const connection = { ...(apiUrl !== undefined && { apiUrl }), ...(token !== undefined && { token }) };
  const { states } = new WaystationApi({ ...connection, retries: Infinity, totalTimeoutMs: Infinity });
  const client = new WaystationClient({ ...connection, agentId: agentId ?? given.agent_id ?? 'openai-agents' });
  const { signal } = rest;
  try {
    return await client.run(
      thread,
      async (run) => {
        const stops = new Stops<Context, A>(states, run.ids, agent, rest.context);
        let stop = await stops.latest();
        // A finished agent returns its result again: the SDK refuses to run it further.
        if (stop && callsIn(stop.state).size === 0) return finished(run, new RunResult(stop.state));
        let isAsked = stop !== null && run.hasAsked && run.latest?.['stop'] === stop.number;
        for (;;) {
          const calls = callsIn(stop?.state);
          if (stop && calls.size > 0) {
            if (!isAsked) await ask(run, stop, calls, approvalTimeoutSeconds);
            decide(stop.state, calls, await run.decisions(signal));
          }
          const result = await runner.run(agent, stop?.state ?? input, rest);
          stop = await stops.add(result.state);
          isAsked = false;
          if (result.interruptions.length > 0) continue;
          return finished(run, result);
        }
      },
      signal ? { signal } : {},
    );
  } finally {
    await client.close(LAST_DELIVERY_MS);
  }
}

/** The states in which the agent of a run stopped, stored before anybody is asked, so that another process can continue. */
class Stops<Context, A extends AnyAgent> {
  private readonly store: StateStore;
  private readonly place: { thread_id: string; ns: string };
  private number = 0;

  constructor(
    states: WaystationApi['states'],
    { thread_id, trace_id, agent_id }: RunIds,
    private readonly agent: A,
    private readonly context: Context | RunContext<Context> | undefined,
  ) {
    this.store = new StateStore(states, agent_id!);
    this.place = { thread_id, ns: trace_id };
  }

  async latest(): Promise<Stop<Context, A> | null> {
    const found = await this.store.get(this.place);
    if (!found) return null;
    this.number = Number(found.checkpoint_id);
    const text = Buffer.from(bytesOf(found.checkpoint)).toString();
    return { number: this.number, state: await this.revived(text) };
  }

  async add(state: RunState<Context, A>): Promise<Stop<Context, A>> {
    this.number += 1;
    const own = { parent_id: null, checkpoint: ['json', Buffer.from(state.toString())] as const, metadata: {} };
    await this.store.put({ ...this.place, checkpoint_id: `${this.number}`.padStart(8, '0') }, own);
    return { number: this.number, state };
  }

  private revived(text: string): Promise<RunState<Context, A>> {
    if (this.context === undefined) return RunState.fromString<Context, A>(this.agent, text);
    const context = this.context instanceof RunContext ? this.context : new RunContext(this.context);
    return RunState.fromStringWithContext<Context, A>(this.agent, text, context);
  }
}

/** The calls that need approval, by the ids used to ask people. */
function callsIn(state: AnyState | undefined): Map<string, RunToolApprovalItem> {
  const calls = new Map<string, RunToolApprovalItem>();
  for (const item of state?.getInterruptions() ?? []) {
    const { callId, id } = item.rawItem as { callId?: string; id?: string };
    const name = callId ?? id ?? 'call';
    // Agents used as tools number their calls themselves.
    calls.set(calls.has(name) ? `${name}:${calls.size}` : name, item);
  }
  return calls;
}

async function ask(
  run: Run,
  { number, state }: { number: number; state: AnyState },
  calls: ReadonlyMap<string, RunToolApprovalItem>,
  timeoutSeconds: number,
): Promise<void> {
  await run.step(state.history, {
    ...usageOf(state),
    stop: number,
    status: 'waiting_for_approval',
    approval_features: ['per_call'],
    ...(timeoutSeconds > 0 && { approval_timeout_seconds: timeoutSeconds }),
    pending_tool_calls: [...calls].map(([id, item]) => {
      return { id, type: 'function', function: { name: item.name ?? 'tool', arguments: argumentsOf(item) } };
    }),
  });
}

/** Applies to this call only; standing decisions are made by rules. */
function decide(
  state: AnyState,
  calls: ReadonlyMap<string, RunToolApprovalItem>,
  decisions: ReadonlyMap<string, CallDecision>,
): void {
  for (const [id, item] of calls) {
    const decided = decisions.get(id);
    if (!decided) throw new Error(`Nobody was asked about the call ${id}.`);
    if (decided.approved) state.approve(item);
    else state.reject(item, decided.reason === null ? {} : { message: decided.reason });
  }
}

/** Calls of computers, shells and patches have no arguments, but a raw item. */
function argumentsOf({ arguments: args, rawItem }: RunToolApprovalItem): string {
  const { action, operation } = rawItem as { action?: unknown; operation?: unknown };
  return args ?? JSON.stringify(action ?? operation ?? {});
}

/** Reports the last step. */
async function finished<Context, A extends AnyAgent>(
  run: Run,
  result: RunResult<Context, A>,
): Promise<RunResult<Context, A>> {
  await run.step(result.history, usageOf(result.state));
  return result;
}

function usageOf({ usage }: AnyState) {
  const { inputTokens, outputTokens, totalTokens } = usage;
  return { input_tokens: inputTokens, output_tokens: outputTokens, tokens_used: totalTokens };
}
