import {
  plainScenarios,
  RUN_AGENTS,
  wildScenarios,
  type ApprovalScenario,
  type Move,
  type Report,
} from '../../factories/approval-scenarios.js';
import type { RunnerEvent } from '../../factories/events.js';
import { MAIL, newRun, REFUND, working } from '../../factories/waiting.js';
import { approvalsOf, decide, pendingCountOf, type Approval } from '../../support/approvals.js';
import { ApprovalModel } from '../../support/model/approval-model.js';
import { detailOf, latestOf, record } from '../../support/recording.js';
import { assertSearching, searchMs } from '../../support/search-seconds.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

const SEARCH_MS = searchMs(2);
/** `WAYSTATION_TEST_SEED` sets another seed; a failure prints the seed. */
const seed = Number(process.env.WAYSTATION_TEST_SEED ?? 20_261_121);
const TEST_LIMIT_MS = SEARCH_MS + 100_000;

const CALLS = { none: [], refund: [REFUND], mail: [MAIL] };

/** One thread in which a scenario is played. */
class Stage {
  readonly threadId = newRun('stage').threadId;
  private readonly traces = RUN_AGENTS.map(() => newRun().traceId);
  private readonly digests: Record<string, string> = {};

  runOf(traceId: string): number {
    return this.traces.indexOf(traceId);
  }

  async report(moves: readonly Report[]): Promise<void> {
    if (moves.length > 0) await record(server.api, ...moves.map((move) => this.event(move)));
  }

  /** @returns the response's status */
  async decide({ run, step, verb, digestOf }: Extract<Move, { kind: 'decide' }>): Promise<number> {
    const digest = digestOf === null ? undefined : (this.digests[digestOf] ?? 'not seen yet');
    return (await decide(server.api, verb, { traceId: this.traces[run]! }, step, { digest })).status;
  }

  /** All approvals; also notes the calls' digests. */
  async approvals(): Promise<Approval[]> {
    const approvals = await approvalsOf(server.api, this.threadId, { status: 'all' });
    for (const { tool_calls: calls, digest } of approvals) this.digests[callsOf(calls[0]!.name)] = digest;
    return approvals;
  }

  private event(move: Report): RunnerEvent {
    const run = { threadId: this.threadId, traceId: this.traces[move.run]! };
    const agent_id = RUN_AGENTS[move.run]!;
    const ids = { thread_id: this.threadId, trace_id: run.traceId, agent_id };
    const parent_trace_id = agent_id === 'B' ? this.traces[0]! : null;
    if (move.kind === 'end') return { type: move.type, data: ids };
    if (move.kind === 'idle') return { type: 'thread_idle', data: ids };
    if (move.kind === 'start') return { type: 'thread_started', data: { ...ids, parent_trace_id } };
    return working(run, move.step, {
      ...{ agent_id, parent_trace_id },
      status: move.calls === 'none' ? 'in_progress' : 'waiting_for_approval',
      pending_tool_calls: CALLS[move.calls],
      tokens_used: move.variant,
      turn_start_history_len: 10 * move.turn,
    });
  }
}

function callsOf(name: string | null): 'refund' | 'mail' {
  return name === 'send_mail' ? 'mail' : 'refund';
}

/** Compares the API with the model after every turn. */
async function playByModel({ turns }: ApprovalScenario): Promise<void> {
  const stage = new Stage();
  const model = new ApprovalModel();
  for (const turn of turns) {
    if (Array.isArray(turn)) await stage.report(turn.filter((move) => model.report(move)));
    else expect(await stage.decide(turn)).toBe(model.decide(turn));
    const approvals = await stage.approvals();
    const outlines = approvals.map(({ trace_id, step, status, tool_calls: [call] }) =>
      [stage.runOf(trace_id), step, callsOf(call!.name), status].join(' '),
    );
    const wanted = model.approvals.map(({ run, step, calls, status }) => [run, step, calls, status].join(' '));
    expect(outlines.sort()).toEqual(wanted.sort());
    if (approvals.length > 0) await pendingCountOf(server.api, stage.threadId);
  }
}

/** Checks the invariants: a thread waits exactly for what is listed, and decisions never change. */
async function playWild({ turns }: ApprovalScenario): Promise<void> {
  const stage = new Stage();
  const decided = new Map<string, Approval>();
  let isKnown = false;
  for (const turn of turns) {
    if (Array.isArray(turn)) await stage.report(turn);
    else expect([200, 404, 409]).toContain(await stage.decide(turn));
    isKnown ||= Array.isArray(turn);
    const approvals = await stage.approvals();
    for (const approval of approvals) {
      const key = [approval.trace_id, approval.attempt, approval.step, approval.digest].join(' ');
      if (decided.has(key)) expect(approval).toEqual(decided.get(key));
      if (approval.decided_at !== null) decided.set(key, approval);
    }
    if (isKnown) await expectAgreement(stage.threadId, approvals);
  }
}

async function expectAgreement(threadId: string, approvals: readonly Approval[]): Promise<void> {
  const { run_list: runs } = (await detailOf(server.api, threadId)) as { run_list: { trace_id: string }[] };
  const waiting: string[] = [];
  for (const { trace_id } of runs) {
    const latest = await latestOf(server.api, threadId, { trace_id });
    const isEnded = ['completed', 'error'].includes(latest.status);
    const hasCalls = (latest.pending_tool_calls as unknown[]).length > 0;
    if (hasCalls && latest.approval === null && !isEnded) waiting.push(`${trace_id} ${latest.step_index}`);
  }
  const pending = approvals.filter(({ status }) => status === 'pending');
  expect(pending.map(({ trace_id, step }) => `${trace_id} ${step}`).sort()).toEqual(waiting.sort());
  await pendingCountOf(server.api, threadId);
}

describe('Whatever is reported and decided in whatever order', () => {
  it(
    'comes out as the contract says',
    async () => {
      await assertSearching(plainScenarios, playByModel, { seed, ms: SEARCH_MS });
    },
    TEST_LIMIT_MS,
  );

  it(
    'leaves a thread waiting for what is listed, and nothing else; what was decided stays',
    async () => {
      await assertSearching(wildScenarios, playWild, { seed, ms: SEARCH_MS });
    },
    TEST_LIMIT_MS,
  );
});
