import { isTooLargeToShow, parseJson, tooLargeText } from '../shapes/json-text.js';
import type { LogDraft, ToolCallDraft, ToolResultDraft } from '../shapes/log-draft.js';
import type { LogEntry, LogLevel, LogSource } from './log-entry.js';
import { readMessage, unknownDraft } from '../shapes/message-shapes.js';
import { type SeenToolCall, ToolCallNames } from './tool-call-names.js';

/**
 * Turns a thread's messages into log entries. Pass each message once, each run's in the order of its history; runs may alternate. It
 * remembers tool calls, so use a new one for each reading.
 */
export class LogExtractor {
  private readonly runs = new Map<string, ToolCallNames>();
  /** All runs together: a turn that continues under a new trace brings results of the previous trace's calls. */
  private readonly thread = new ToolCallNames();

  /**
   * The entries of one message; none only if `readMessage` finds no message.
   * @param messageText the message's exact JSON text; invalid or too large text becomes one info entry. Never throws.
   */
  extract(messageText: string, source: LogSource): LogEntry[] {
    const drafts = readDrafts(messageText);
    const run = this.runOf(source.trace_id);
    if (drafts.some((draft) => draft.kind === 'tool_call')) run.startTurn();
    const callsOfThisMessage = new Set<SeenToolCall>();
    const entries = drafts.map((draft) => {
      if (draft.kind === 'tool_call') return this.callEntry(draft, source, callsOfThisMessage);
      if (draft.kind === 'tool_result') return this.resultEntry(draft, source, callsOfThisMessage);
      return newEntry(source, draft.kind, draft.level, draft.message);
    });
    addTokens(entries, source);
    return entries;
  }

  private callEntry(draft: ToolCallDraft, source: LogSource, callsOfThisMessage: Set<SeenToolCall>): LogEntry {
    const call = { name: draft.name, atMs: reportedMs(source) };
    this.runOf(source.trace_id).record(call, draft.id);
    if (draft.id !== undefined) this.thread.record(call, draft.id);
    callsOfThisMessage.add(call);
    const entry = newEntry(source, 'tool_call', 'tool', `${draft.name ?? 'tool'}(${draft.arguments})`);
    if (draft.name !== undefined) entry.tool_name = draft.name;
    return entry;
  }

  private resultEntry(draft: ToolResultDraft, source: LogSource, callsOfThisMessage: Set<SeenToolCall>): LogEntry {
    const call = this.runOf(source.trace_id).answer(draft.callIds, draft.name) ?? this.thread.find(draft.callIds);
    const entry = newEntry(source, 'tool_result', draft.isError ? 'error' : 'tool', draft.message);
    const name = call?.name ?? draft.name;
    if (name !== undefined) entry.tool_name = name;
    // A hosted tool's call and result share one message and one time, which says nothing about the duration.
    if (call === undefined || callsOfThisMessage.has(call)) return entry;
    const durationMs = reportedMs(source) - call.atMs;
    if (durationMs >= 0) entry.duration_ms = durationMs;
    return entry;
  }

  private runOf(traceId: string): ToolCallNames {
    const run = this.runs.get(traceId) ?? new ToolCallNames();
    this.runs.set(traceId, run);
    return run;
  }
}

function readDrafts(messageText: string): LogDraft[] {
  if (isTooLargeToShow(messageText)) return [unknownDraft(tooLargeText(messageText))];
  try {
    return readMessage(parseJson(messageText));
  } catch {
    return [unknownDraft(messageText)];
  }
}

function newEntry(source: LogSource, kind: LogEntry['kind'], level: LogLevel, message: string): LogEntry {
  const { ts, agent_id, trace_id, step_index } = source;
  return { ts, level, kind, message, agent_id, trace_id, step_index };
}

/** Tokens go on the assistant's text, or else on the message's first entry. */
function addTokens(entries: LogEntry[], source: LogSource): void {
  const bearer = entries.find((entry) => entry.kind === 'assistant') ?? entries[0];
  if (bearer === undefined) return;
  if (source.tokens_in !== undefined) bearer.tokens_in = source.tokens_in;
  if (source.tokens_out !== undefined) bearer.tokens_out = source.tokens_out;
}

/** NaN if the time is unknown: every comparison with it is false. */
function reportedMs(source: LogSource): number {
  return source.is_ts_estimated === true ? Number.NaN : Date.parse(source.ts);
}
