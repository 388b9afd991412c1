import type { FieldFault } from '../../../common/domain-error.js';
import { ATTACHMENT, EFFECT_SETTLED, kindOf, type EventKind } from '../../../common/contract/event-types.js';
import {
  CHECKPOINT_FIELD_NAMES,
  CHECKPOINT_FIELDS,
  reportedFields,
} from '../../../common/contract/checkpoint-fields.js';
import type { ExtraMember, HistoryBase, ReportedEvent } from '../../threads/threads.contract.js';
import { readSettledEvent, type SettledEvent } from '../../effects/effects.contract.js';
import type { Heartbeat } from '../agents/heartbeat.js';
import { checkAskedCalls } from './asked-calls.js';
import { HEARTBEAT_MEMBERS, readHeartbeat } from './heartbeat-reader.js';
import { LongText } from '../../../common/long-text.js';
import { timeMs } from '../../../common/reported-time.js';
import { TextList } from '../../../common/text-list.js';
import { HISTORY_BASE, type DataOutline, type EventOutline, type Span } from './batch-outline.js';
import { groupOf, isGroupMember } from './event-types.js';
import * as rules from './field-rules.js';
import { readBase } from './history-base.js';
import { memberValue } from './member-value.js';
import { textWithoutLists } from './text-without-lists.js';

export type EventReading =
  | { index: number; event: ReportedEvent }
  | { index: number; heartbeat: Heartbeat }
  | { index: number; settled: Extract<SettledEvent, { settling: unknown }> }
  | { index: number; remark: ThreadlessEvent }
  | FaultyEvent;

/** An event that changes no state and names no thread, so there is no place to store it. */
export interface ThreadlessEvent {
  type: string;
  traceId: string | null;
  fields: Pick<ReportedEvent['fields'], 'agent_id' | 'run_cost_usd' | 'budget_usd'>;
}

export interface FaultyEvent {
  index: number;
  type: string | null;
  faults: readonly FieldFault[];
}

const EVENT_RULES = rules.rulesOf({
  type: rules.isNonEmptyText,
  id: rules.isId,
  sequence_num: rules.isSequence,
  occurred_at: rules.isTime,
  fence: rules.isFence,
});
const EVENT_MEMBERS = [...EVENT_RULES.keys()];
const IDS = {
  thread_id: rules.isId,
  trace_id: rules.isId,
  parent_trace_id: rules.isId,
  agent_id: rules.isId,
};

/** Real clients send an empty text to mean none. */
const OPTIONAL_IDS = ['trace_id', 'parent_trace_id', 'agent_id'] as const;
const ID_RULES = rules.rulesOf(IDS);
const RULE_OF_KIND = {
  count: rules.isCount,
  amount: rules.isAmount,
  text: rules.isText,
  flag: rules.isBoolean,
  list: rules.isList,
} as const;
const STATE_RULES = rules.rulesOf({
  ...IDS,
  step_index: rules.isCount,
  status: rules.isNonEmptyText,
  history: rules.isList,
  history_meta: rules.isList,
  ...Object.fromEntries(CHECKPOINT_FIELD_NAMES.map((name) => [name, RULE_OF_KIND[CHECKPOINT_FIELDS[name]]])),
});
/** Members of a checkpoint that approvals read; stored and returned like unknown ones. */
const APPROVAL_RULES = rules.rulesOf({
  approval_features: rules.isListOfTexts,
  approval_timeout_seconds: rules.isSpan,
  approval_remind_seconds: rules.areReminders,
});

/** Members of a file for a chat; unknown ones are kept. */
const ATTACHMENT_RULES = rules.rulesOf({
  digest: rules.isDigest,
  size_bytes: rules.isCount,
  name: rules.isText,
  media_type: rules.isText,
  caption: rules.isLongText,
});

/** Members of `data` whose values are checked. */
const READ_MEMBERS = new Set([
  ...[STATE_RULES, APPROVAL_RULES, ATTACHMENT_RULES].flatMap((known) => [...known.keys()]),
  ...HEARTBEAT_MEMBERS,
  'error',
]);

/** Members that only the server sets, but programs may report back. */
const SERVERS_OWN = ['error', 'approval', 'updated_at', 'history_for_model', 'repairs'];
/** Members that `latest` adds together: an event with all of a group returns them; single ones are the program's own. */
const ADDED_TOGETHER = [
  ['effects', 'history_for_model', 'repairs', 'waiting'],
  ['event_id', 'history_length', 'rev'],
];

/** Members with their own column, that only the server may set, or that are not stored. */
const KNOWN_MEMBERS = new Set([...STATE_RULES.keys(), ...SERVERS_OWN, HISTORY_BASE]);

/** A secret. It is sealed in heartbeats; events of other types, including mistyped ones, are stored unchanged. */
const INVOKE_TOKEN = 'invoke_token';
const OF_HEARTBEATS = 'is only allowed in events of type heartbeat: it is a secret and would be stored';

/** Most oversized elements named in an error. */
const MAX_EXCESSES = 10;

type Values = Record<string, unknown>;

/** Checks one event. Never throws for a client's input: the faults name the fields. */
export function readEvent(bytes: Buffer, outline: EventOutline, index: number): EventReading {
  if (outline.members.size === 0 && outline.data === null) return refuse(index, null, [notAnEvent()]);
  const envelope = readEnvelope(bytes, outline);
  if (envelope.id === '') envelope.id = null;
  const type = typeof envelope.type === 'string' ? envelope.type : null;
  const faults = outline.excesses.slice(0, MAX_EXCESSES);
  if (outline.twice !== null) faults.push({ path: outline.twice, detail: 'is given more than once' });
  rules.checkFields(envelope, EVENT_RULES, '', faults);
  if (envelope.type === undefined || envelope.type === null) faults.push(missing('type', 'a non-empty string'));
  if (!outline.data) faults.push(missing('data', 'an object'));
  if (faults.length > 0 || !outline.data || type === null) return refuse(index, type, faults);
  return readData(bytes, envelope, outline.data, { index, type });
}

function readData(
  bytes: Buffer,
  envelope: Values,
  outline: DataOutline,
  { index, type }: { index: number; type: string },
): EventReading {
  const kind = kindOf(type);
  const dataText = textWithoutLists(bytes, outline, kind);
  const data = outline.isOfLargeBody ? readMembers(bytes, outline, type) : (JSON.parse(dataText.toString()) as Values);
  const faults: FieldFault[] = [];
  if (outline.twice !== null) faults.push({ path: `data.${outline.twice}`, detail: 'is given more than once' });
  if (type === 'heartbeat') return readBeat(data, faults, index);
  if (outline.members.has(INVOKE_TOKEN)) faults.push({ path: `data.${INVOKE_TOKEN}`, detail: OF_HEARTBEATS });
  if (type === EFFECT_SETTLED) return readSettling(bytes.subarray(...outline.span), faults, index);
  dropEmptyIds(data, kind);
  rules.checkFields(data, isUnchecked(type, kind) ? ID_RULES : STATE_RULES, 'data.', faults);
  if (kind === 'checkpoint') {
    rules.checkFields(data, APPROVAL_RULES, 'data.', faults);
    checkCalls(bytes, data, outline, faults);
    data[HISTORY_BASE] = readBase(bytes, outline, isAbsent(envelope.id), faults);
  }
  if (type === ATTACHMENT) checkAttachment(data, faults);
  nameGroup(data, type, faults);
  const isRemark = isAbsent(data.thread_id) && kind === 'note';
  if (isAbsent(data.thread_id) && !isRemark) faults.push(missing('data.thread_id', 'a string'));
  if (!isAbsent(envelope.fence) && isAbsent(data.trace_id))
    faults.push(missing('data.trace_id', 'a string, because the event has a fence'));
  if (faults.length > 0) return refuse(index, type, faults);
  if (isRemark) return { index, remark: toRemark(data, type) };
  return { index, event: toEvent(bytes, envelope, data, outline, { type, kind, dataText }) };
}

function checkCalls(bytes: Buffer, data: Values, { members }: DataOutline, faults: FieldFault[]): void {
  const { approval_features: features, pending_tool_calls: pending } = data;
  if (!Array.isArray(pending) || pending.length === 0 || rules.isListOfTexts(features) !== null) return;
  checkAskedCalls(bytes.subarray(...members.get('pending_tool_calls')!), features as string[], faults);
}

function checkAttachment(data: Values, faults: FieldFault[]): void {
  rules.checkFields(data, ATTACHMENT_RULES, 'data.', faults);
  if (isAbsent(data.thread_id)) faults.push(missing('data.thread_id', 'a string'));
  if (isAbsent(data.digest)) faults.push(missing('data.digest', 'the SHA-256 of the file'));
  if (isAbsent(data.size_bytes)) faults.push(missing('data.size_bytes', 'an integer'));
}

function readBeat(data: Values, faults: FieldFault[], index: number): EventReading {
  const heartbeat = readHeartbeat(data, faults);
  return heartbeat === null ? refuse(index, 'heartbeat', faults) : { index, heartbeat };
}

function readSettling(data: Buffer, faults: readonly FieldFault[], index: number): EventReading {
  const settled = readSettledEvent(data);
  if (!('faults' in settled) && faults.length === 0) return { index, settled };
  const found = 'faults' in settled ? settled.faults : [];
  const all = [...faults, ...found.map(({ path, detail }) => ({ path: `data.${path}`, detail }))];
  return refuse(index, EFFECT_SETTLED, all);
}

/** Events that need a thread need its id. */
function dropEmptyIds(data: Values, kind: EventKind): void {
  for (const name of OPTIONAL_IDS) if (data[name] === '') data[name] = null;
  if (kind === 'note' && data.thread_id === '') data.thread_id = null;
}

/** Workflows and teams have their own runs; without a trace, all executions in a thread share one run. */
function nameGroup(data: Values, type: string, faults: FieldFault[]): void {
  const group = groupOf(type, data);
  if (!group) return;
  const expected = rules.isId(group.agentId);
  if (expected !== null) faults.push({ path: `data.${group.by}`, detail: `expected ${expected}, got another` });
  data.agent_id = group.agentId;
  data.trace_id ??= group.agentId;
}

function toRemark(data: Values, type: string): ThreadlessEvent {
  const { agent_id, run_cost_usd, budget_usd } = reportedFields(isUnchecked(type, 'note') ? idsOf(data) : data);
  return { type, traceId: orNull(data.trace_id), fields: { agent_id, run_cost_usd, budget_usd } };
}

function toEvent(
  bytes: Buffer,
  envelope: Values,
  data: Values,
  outline: DataOutline,
  { type, kind, dataText }: Pick<ReportedEvent, 'type' | 'kind' | 'dataText'>,
): ReportedEvent {
  const pending = data.pending_tool_calls as unknown[] | null | undefined;
  return {
    type,
    kind,
    id: (envelope.id as string | undefined) ?? null,
    sequenceNum: (envelope.sequence_num as number | undefined) ?? null,
    occurredAtMs: timeMs(envelope.occurred_at),
    threadId: data.thread_id as string,
    traceId: (data.trace_id as string | undefined) ?? null,
    fence: orNull(envelope.fence),
    fields: reportedFields(isUnchecked(type, kind) ? idsOf(data) : data),
    base: (data[HISTORY_BASE] as HistoryBase | null | undefined) ?? null,
    history: outline.history?.list ?? TextList.EMPTY,
    historyMeta: outline.historyMeta?.list ?? TextList.EMPTY,
    pendingToolCalls: pending?.length ? textOf(bytes, outline.members.get('pending_tool_calls')!) : null,
    error: isAbsent(data.error) || !(kind in KEEPS_ERROR) ? null : textOf(bytes, outline.members.get('error')!),
    extra: extraMembers(bytes, outline),
    dataText,
  };
}

/** A checkpoint's own `error` never replaces the server's: only an event that ends a run sets it. */
const KEEPS_ERROR = { ending: true, idle: true };

/** For events of unknown types only the ids were checked. */
function isUnchecked(type: string, kind: EventKind): boolean {
  return kind === 'note' && type !== 'budget_warning';
}

function idsOf({ agent_id, parent_trace_id }: Values): Values {
  return { agent_id, parent_trace_id };
}

function orNull<T>(value: unknown): T | null {
  return (value as T | undefined) ?? null;
}

function extraMembers(bytes: Buffer, { members }: DataOutline): ExtraMember[] {
  const extra: ExtraMember[] = [];
  const returned = ADDED_TOGETHER.filter((names) => names.every((name) => members.has(name))).flat();
  members.forEach((span, name) => {
    if (KNOWN_MEMBERS.has(name) || returned.includes(name)) return;
    extra.push({ name: JSON.stringify(name), value: LongText.stringOr(bytes.subarray(...span)) });
  });
  return extra;
}

function readEnvelope(bytes: Buffer, { members }: EventOutline): Values {
  const values: Values = {};
  for (const name of EVENT_MEMBERS) {
    const span = members.get(name);
    if (span) values[name] = memberValue(bytes, span);
  }
  return values;
}

/** Only the members that are read: the others may hold millions of values. */
function readMembers(bytes: Buffer, { members, history, historyMeta }: DataOutline, type: string): Values {
  const values: Values = {};
  for (const [name, span] of members) {
    const isListOutlined = span === history?.span || span === historyMeta?.span;
    if (READ_MEMBERS.has(name) || isGroupMember(type, name))
      values[name] = isListOutlined ? [] : memberValue(bytes, span);
  }
  return values;
}

function textOf(bytes: Buffer, [from, to]: Span): string {
  return bytes.toString('utf8', from, to);
}

function isAbsent(value: unknown): value is null | undefined {
  return value === null || value === undefined;
}

function refuse(index: number, type: string | null, faults: readonly FieldFault[]): EventReading {
  return { index, type, faults };
}

function missing(path: string, expected: string): FieldFault {
  return { path, detail: `expected ${expected}, got nothing` };
}

function notAnEvent(): FieldFault {
  return { path: 'event', detail: 'expected an object with type and data' };
}
