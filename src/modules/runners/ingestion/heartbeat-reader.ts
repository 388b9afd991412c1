import { MAX_FIRINGS, MAX_TRIGGERS, TRIGGER_TYPES, type AgentTrigger } from '../../../common/contract/agent-trigger.js';
import { MAX_QUEUED_RUNS, QUEUED_RUN_KINDS } from '../../../common/contract/queued-run.js';
import type { FieldFault } from '../../../common/domain-error.js';
import { isoTime } from '../../../common/clock.js';
import { objectOf } from '../../../common/json-fields.js';
import { timeMs } from '../../../common/reported-time.js';
import type { ReportedQueuedRun, Heartbeat } from '../agents/heartbeat.js';
import * as rules from './field-rules.js';

/** Part of an index together with an agent's id. */
const PROCESS_ID = /^[!-~]{1,100}$/;
const BEAT_RULES = rules.rulesOf({
  agent_id: rules.isId,
  endpoint: rules.isHttpUrl,
  invoke_token: rules.isNonEmptyText,
  triggers: (value) =>
    Array.isArray(value) && value.length <= MAX_TRIGGERS ? null : `an array of at most ${MAX_TRIGGERS} triggers`,
  process_id: (value) =>
    typeof value === 'string' && PROCESS_ID.test(value) ? null : 'a string of 1 to 100 visible ASCII characters',
  queued_runs: (value) =>
    Array.isArray(value) && value.length <= MAX_QUEUED_RUNS ? null : `an array of at most ${MAX_QUEUED_RUNS} runs`,
});
const TRIGGER_RULES = rules.rulesOf({
  id: rules.isNonEmptyText,
  type: (value) => (TRIGGER_TYPES.some((type) => type === value) ? null : TRIGGER_TYPES.join(' or ')),
  endpoint: rules.isText,
  cron: rules.isText,
  timezone: rules.isText,
  next: (value) =>
    Array.isArray(value) && value.length <= MAX_FIRINGS && value.every((time) => rules.isTime(time) === null)
      ? null
      : `an array of at most ${MAX_FIRINGS} ISO 8601 times`,
});

export const HEARTBEAT_MEMBERS: readonly string[] = [...BEAT_RULES.keys()];

/**
 * The heartbeat in `data`; null if it has faults.
 * @param faults collects the faults, each with its field's path
 */
export function readHeartbeat(data: Readonly<Record<string, unknown>>, faults: FieldFault[]): Heartbeat | null {
  rules.checkFields(data, BEAT_RULES, 'data.', faults);
  const { agent_id, endpoint, invoke_token, triggers, process_id, queued_runs } = data;
  if (agent_id === undefined || agent_id === null) faults.push(missing('data.agent_id'));
  const read = Array.isArray(triggers) ? triggers.map((trigger, index) => readTrigger(trigger, index, faults)) : [];
  if (faults.length > 0) return null;
  return {
    agentId: agent_id as string,
    endpoint: textOrNull(endpoint),
    invokeToken: textOrNull(invoke_token),
    triggers: read,
    processId: textOrNull(process_id),
    queuedRuns: Array.isArray(queued_runs) ? queued_runs.flatMap(readQueuedRun) : [],
  };
}

/** Skips a run without usable ids: it could not be reported either, and must not make its agent unknown. */
function readQueuedRun(run: unknown): ReportedQueuedRun[] {
  const { thread_id, trace_id, queued_at, kind } = objectOf(run) ?? {};
  const queuedAtMs = timeMs(queued_at);
  if (queuedAtMs === null) return [];
  if (typeof thread_id !== 'string' || rules.isId(thread_id) !== null) return [];
  if (typeof trace_id !== 'string' || rules.isId(trace_id) !== null) return [];
  return [{ threadId: thread_id, traceId: trace_id, queuedAtMs, kind: kindIn(kind) }];
}

/** An unknown value from a newer process must not hide the run. */
function kindIn(value: unknown): ReportedQueuedRun['kind'] {
  return QUEUED_RUN_KINDS.find((kind) => kind === value) ?? null;
}

/** Ignores unknown members: those of newer processes must not make an agent unknown. */
function readTrigger(trigger: unknown, index: number, faults: FieldFault[]): AgentTrigger {
  const path = `data.triggers[${index}]`;
  if (typeof trigger !== 'object' || trigger === null || Array.isArray(trigger)) {
    faults.push({ path, detail: `expected an object, got ${rules.kindOf(trigger)}` });
    return { id: '', type: 'webhook' };
  }
  const given = Object.entries(trigger).filter(([name, value]) => TRIGGER_RULES.has(name) && value !== null);
  const members: Record<string, unknown> = Object.fromEntries(given);
  rules.checkFields(members, TRIGGER_RULES, `${path}.`, faults);
  for (const name of ['id', 'type']) if (members[name] === undefined) faults.push(missing(`${path}.${name}`));
  if (Array.isArray(members.next)) members.next = members.next.map((time) => isoTime(timeMs(time) ?? 0));
  return members as unknown as AgentTrigger;
}

function missing(path: string): FieldFault {
  return { path, detail: 'expected a string, got nothing' };
}

function textOrNull(value: unknown): string | null {
  return value === undefined || value === null ? null : (value as string);
}
