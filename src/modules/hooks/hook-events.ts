import { digestOf } from '../../common/digest.js';
import type { HookBody, HookPlatform } from './hook-body.js';
import { isAboutQuestions, questionsOf } from './hook-questions.js';

/** Longest path that is shown, in characters. */
const MAX_PLACE_LENGTH = 4_000;
/** Decisions that the platform supports. Codex refuses a decision that changes the input. */
const FEATURES: Readonly<Record<HookPlatform, readonly string[]>> = { claude: ['edit_args'], codex: [] };

/** A hook's event, and the agent for which it is reported. */
export interface HookReport {
  hook: HookBody;
  agentId: string;
  /** Identifies the event within the thread: equal for a repetition, different for any other event. */
  key: string;
  /** How long the hook waits for a decision; later ones have no effect. */
  timeoutSeconds: number;
}

/** A permission request as an approval: a sub-run of the turn's run, so that several can wait at the same time. */
export interface AskedCall {
  threadId: string;
  traceId: string;
  step: number;
  /** Exact JSON of the array with the call. */
  calls: string;
}

/** The thread of a session. */
export function threadOf({ platform, sessionId }: HookBody): string {
  return `${platform}:${sessionId}`;
}

/** Null for an event that asks nothing. Questions are asked before the tool is used; a permission does not answer them. */
export function askedBy({ hook, key }: HookReport): AskedCall | null {
  const isRequest = hook.event === 'PermissionRequest' && hook.toolName !== null && !isAboutQuestions(hook);
  if (!isRequest && !(hook.event === 'PreToolUse' && questionsOf(hook))) return null;
  return { threadId: threadOf(hook), traceId: `ask-${digestOf(key)}`, step: 0, calls: callsOf(hook) };
}

/** The event's tool call as an approval has it, with the agent's working folder: exact JSON of an array. */
export function callsOf(hook: HookBody): string {
  const questions = questionsOf(hook);
  const asked = questions === null ? '' : `,"questions":${JSON.stringify(questions)}`;
  const cwd = hook.members.get('cwd');
  const place = cwd?.startsWith('"') && cwd.length <= MAX_PLACE_LENGTH ? `,"cwd":${cwd}` : '';
  return `[{"name":${JSON.stringify(hook.toolName)},"args":${inputOf(hook)}${asked}${place}}]`;
}

/** Exact JSON. */
export function inputOf({ members }: HookBody): string {
  return members.get('tool_input') ?? '{}';
}

/** The batch of runner events that records a hook's event, as JSON text. Contains the hook's input exactly. */
export function batchOf(report: HookReport): string {
  const { hook, agentId, key, timeoutSeconds } = report;
  const ids = { thread_id: threadOf(hook), agent_id: agentId };
  const turn = { ...ids, trace_id: turnOf(hook), ...(hook.model !== null && { model: hook.model }) };
  // If prompts have no ids, each prompt restarts the session's only run, which may have ended.
  const start = hook.turnId === null && hook.event === 'UserPromptSubmit' ? key : turn.trace_id;
  const started = eventJson('thread_started', `hook-turn:${digestOf(start)}`, turn);
  const id = `hook:${digestOf(key)}`;
  const asked = askedBy(report);
  if (asked) {
    const waiting = {
      ...{ ...turn, trace_id: asked.traceId, parent_trace_id: turn.trace_id, step_index: asked.step },
      ...{ status: 'waiting_for_approval', approval_timeout_seconds: timeoutSeconds },
      approval_features: questionsOf(hook) ? ['answer'] : FEATURES[hook.platform],
    };
    const messages = [...placeMessage(hook), callMessage(hook, key)];
    const lists = `,"history":[${messages.join(',')}],"pending_tool_calls":${asked.calls}`;
    return batch(started, eventJson('checkpoint', id, waiting, lists));
  }
  const messages = messagesOf(hook, key);
  const step = eventJson('checkpoint', id, turn, `,"history":[${messages.join(',')}]`);
  if (hook.event === 'Stop') {
    const ended = eventJson('thread_completed', `${id}:end`, turn);
    return messages.length > 0 ? batch(started, step, ended) : batch(started, ended);
  }
  if (hook.event === 'StopFailure') {
    return batch(started, eventJson('thread_error', `${id}:end`, turn, `,"error":${failureOf(hook)}`));
  }
  if (messages.length > 0 || hook.event === 'UserPromptSubmit') return batch(started, step);
  return batch(eventJson(`hook_${hook.event}`, id, ids, `,"hook":${hook.text}`));
}

/** The batch that ends the run of a decided permission request. */
export function endOf(asked: AskedCall, { agentId, key }: HookReport): string {
  const ids = { thread_id: asked.threadId, trace_id: asked.traceId, agent_id: agentId };
  return batch(eventJson('thread_completed', `hook:${digestOf(key)}:end`, ids));
}

/** Runs of the session that have ended without an event that says how. */
export interface EndedTurns {
  /** Only runs that began before this turn's run; null for all. */
  beforeTurn: string | null;
  /** The turn that is still running; null for none. */
  exceptTurn: string | null;
  reason: string;
}

/** Neither platform runs `Stop` for an interrupted turn. Claude Code then sends nothing at all, unless it was running a tool. */
export function turnsEndedBy(hook: HookBody): EndedTurns | null {
  const { event, members } = hook;
  if (event === 'UserPromptSubmit') {
    // Without turn ids, all prompts share one run, which is older than the last prompt's requests.
    const beforeTurn = hook.turnId;
    return { beforeTurn, exceptTurn: turnOf(hook), reason: 'The session has another prompt.' };
  }
  if (event === 'SessionEnd') return { beforeTurn: null, exceptTurn: null, reason: 'The session ended.' };
  const isInterrupted = event === 'PostToolUseFailure' && members.get('is_interrupt') === 'true';
  if (event !== 'Interrupt' && !isInterrupted) return null;
  return { beforeTurn: null, exceptTurn: null, reason: 'It was interrupted on the terminal.' };
}

/** The run of the turn. */
export function turnOf({ turnId, sessionId }: HookBody): string {
  return turnId ?? sessionId;
}

/** The messages that the event adds to the conversation, as exact JSON. */
function messagesOf(hook: HookBody, key: string): string[] {
  const { event, members } = hook;
  const text = members.get(event === 'UserPromptSubmit' ? 'prompt' : 'last_assistant_message');
  if (event === 'UserPromptSubmit' || event === 'Stop') {
    return text?.startsWith('"') ? [`{"role":${event === 'Stop' ? '"assistant"' : '"user"'},"content":${text}}`] : [];
  }
  if (!event.startsWith('PostToolUse') || hook.toolName === null) return [];
  const result = members.get('tool_response') ?? members.get('error') ?? 'null';
  const content = result.startsWith('"') ? result : JSON.stringify(result);
  const failed = event === 'PostToolUseFailure' ? ',"is_error":true' : '';
  const answer = `{"type":"tool_result","tool_use_id":${callId(hook, key)},"content":${content}${failed}}`;
  return [callMessage(hook, key), `{"role":"user","content":[${answer}]}`];
}

/** Why the model gave no answer, as exact JSON. */
function failureOf({ members }: HookBody): string {
  const words = ['last_assistant_message', 'error_details'].map((name) => members.get(name));
  const message = words.find((text) => text?.startsWith('"')) ?? 'null';
  return `{"type":${members.get('error') ?? '"unknown"'},"message":${message}}`;
}

/** The coding agent's working folder, for people who decide elsewhere; empty if unknown. */
function placeMessage({ platform, members }: HookBody): string[] {
  const cwd = members.get('cwd');
  if (!cwd?.startsWith('"') || cwd.length > MAX_PLACE_LENGTH) return [];
  const content = `${platform === 'claude' ? 'Claude Code' : 'Codex'} works in ${JSON.parse(cwd) as string}.`;
  return [`{"role":"system","content":${JSON.stringify(content)}}`];
}

function callMessage(hook: HookBody, key: string): string {
  const call = `"id":${callId(hook, key)},"name":${JSON.stringify(hook.toolName)},"input":${inputOf(hook)}`;
  return `{"role":"assistant","content":[{"type":"tool_use",${call}}]}`;
}

function callId({ toolUseId }: HookBody, key: string): string {
  return JSON.stringify(toolUseId ?? `hook-${digestOf(key)}`);
}

/** @param more further members of the data, as JSON with a leading comma */
function eventJson(type: string, id: string, data: object, more = ''): string {
  const head = JSON.stringify({ type, id }).slice(0, -1);
  return `${head},"data":${JSON.stringify(data).slice(0, -1)}${more}}}`;
}

function batch(...events: string[]): string {
  return `{"events":[${events.join(',')}]}`;
}
