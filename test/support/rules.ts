import { jest } from '@jest/globals';
import { ApprovalsRepository } from '../../src/modules/approvals/approvals.repository.js';
import type { RunnerEvent } from '../factories/events.js';
import { newRun, toolCall, waiting, type RunIds } from '../factories/waiting.js';
import type { Answer, ApiClient } from './api-client.js';
import { decided } from './approvals.js';
import type { InProcessApp } from './in-process-app.js';
import { ok, record } from './recording.js';

export const RULES = '/v1/rules';

/** The fields of a rule that tests look at by name. */
export interface RuleRecord extends Record<string, unknown> {
  id: string;
  status: 'active' | 'expired' | 'revoked';
  uses: number;
}

/** A rule that allows one command to one agent. */
export function allowing(agent: string, further: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    effect: 'allow',
    agents: [agent],
    tools: ['Bash'],
    where: [{ path: '/command', equals: 'git status' }],
    limits: { per_day: 1000 },
    note: 'It changes nothing.',
    ...further,
  };
}

/** A rule that denies or asks about all calls of an agent's tool. */
export function ruleFor(effect: 'deny' | 'ask', agent: string, further: Record<string, unknown> = {}) {
  return { effect, agents: [agent], tools: ['Bash'], note: `Always ${effect}.`, ...further };
}

export async function makeRule(api: ApiClient, rule: object): Promise<RuleRecord> {
  const answer = await api.post(RULES, rule);
  if (answer.status !== 201) throw new Error(`Expected 201, got ${answer.status}: ${answer.text}`);
  return answer.json<RuleRecord>();
}

export async function ruleOf(api: ApiClient, id: string): Promise<RuleRecord> {
  return ok(await api.get(`${RULES}/${id}`)).json<RuleRecord>();
}

export function revoke(api: ApiClient, id: string): Promise<Answer> {
  return api.delete(`${RULES}/${id}`);
}

/** Opens calls of the agent with these arguments, by default those that `allowing` allows. */
export function opening(agent: string, run: RunIds, ...args: readonly object[]): RunnerEvent {
  const all = args.length === 0 ? [{ command: 'git status' }] : args;
  const calls = all.map((one, n) => toolCall('Bash', one as Record<string, unknown>, `call-${n}`));
  return waiting(run, 1, { agent_id: agent, pending_tool_calls: calls });
}

export async function openedBy(api: ApiClient, agent: string, ...args: readonly object[]): Promise<RunIds> {
  const run = newRun();
  await record(api, opening(agent, run, ...args));
  return run;
}

/** A run for each of these arguments, with a call that a person approved. */
export async function approvedBy(api: ApiClient, agent: string, ...all: readonly object[]): Promise<RunIds[]> {
  const runs: RunIds[] = [];
  for (const args of all) {
    const run = await openedBy(api, agent, args);
    await decided(api, 'approve', run, 1);
    runs.push(run);
  }
  return runs;
}

/** A call that a person approved with other arguments. */
export async function editedBy(api: ApiClient, agent: string, args: Record<string, unknown>, edited: object) {
  const run = newRun();
  const fields = { pending_tool_calls: [toolCall('Bash', args)], approval_features: ['edit_args'] };
  await record(api, waiting(run, 1, { agent_id: agent, ...fields }));
  await decided(api, 'approve', run, 1, { decisions: [{ index: 0, decision: 'approve', args: edited }] });
  return run;
}

/** While `work` runs, 6 seconds pass for the server whenever it reads an approval that people decided. */
export async function readingSlowly<T>({ app }: Pick<InProcessApp, 'app'>, work: () => Promise<T>): Promise<T> {
  const approvals = app.get(ApprovalsRepository, { strict: false });
  const [now, whole] = [performance.now.bind(performance), approvals.whole.bind(approvals)];
  let aheadMs = 0;
  const mocks = [
    jest.spyOn(performance, 'now').mockImplementation(() => now() + aheadMs),
    jest.spyOn(approvals, 'whole').mockImplementation((...order) => {
      aheadMs += 6_000;
      return whole(...order);
    }),
  ];
  try {
    return await work();
  } finally {
    for (const mock of mocks) mock.mockRestore();
  }
}
