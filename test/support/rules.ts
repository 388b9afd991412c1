import type { RunnerEvent } from '../factories/events.js';
import { toolCall, waiting, type RunIds } from '../factories/waiting.js';
import type { Answer, ApiClient } from './api-client.js';
import { ok } from './recording.js';

export const RULES = '/v1/rules';

/** The fields of a rule that tests look at by name. */
export interface RuleRecord extends Record<string, unknown> {
  id: string;
  status: 'active' | 'expired' | 'revoked';
  uses: number;
}

/** A rule that allows one command to an agent of its own. */
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

/** A rule that denies or asks for all calls of an agent's tool. */
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

/** Some arguments of a call of the agent wait, by default those that `allowing` allows. */
export function opening(agent: string, run: RunIds, ...args: readonly object[]): RunnerEvent {
  const all = args.length === 0 ? [{ command: 'git status' }] : args;
  const calls = all.map((one, n) => toolCall('Bash', one as Record<string, unknown>, `call-${n}`));
  return waiting(run, 1, { agent_id: agent, pending_tool_calls: calls });
}
