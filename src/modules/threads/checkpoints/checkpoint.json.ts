import { isoTime } from '../../../common/clock.js';
import { fieldMembers } from '../../../common/contract/checkpoint-fields.js';
import type { Checkpoint } from '../entities/checkpoint.entity.js';
import { amendedExtra } from '../journal/rules/extra-members.js';
import type { ListTexts } from '../message-log/list-texts.repository.js';

export interface CheckpointRecord extends Checkpoint {
  thread_id: string;
  trace_id: string;
  parent_trace_id: string | null;
}

/**
 * The JSON of a checkpoint in pieces: the contract's fields in order, with the stored texts unchanged. Parses nothing that an agent
 * reported.
 */
export function checkpointPieces(record: CheckpointRecord, lists: ListTexts): (string | Buffer)[] {
  const [head, between, ...tail] = aroundLists(record);
  return [head, lists.history, between, lists.historyMeta, ...tail];
}

/** The same with empty lists, `history_length`, `event_id` and `rev`, for readers that only watch a run or continue it. */
export function checkpointWithoutLists(record: CheckpointRecord): (string | Buffer)[] {
  const eventId = { name: '"event_id"', value: JSON.stringify(record.event_id) };
  const rev = { name: '"rev"', value: String(record.rev) };
  const extra = amendedExtra(record.extra, [historyLengthOf(record), eventId, rev]);
  return checkpointPieces({ ...record, extra }, { history: '', historyMeta: '' });
}

/** The JSON before, between and after the elements of the two lists. */
export function aroundLists(record: CheckpointRecord): [string, string, ...(string | Buffer)[]] {
  return [`{${headMembers(record)},"history":[`, `],"history_meta":[`, '],', ...tailPieces(record), '}'];
}

/** The same with `history_length` instead of the two lists. */
export function checkpointSummary(record: CheckpointRecord): string {
  return `{${summaryMembers(record)}}`;
}

/** The members of a summary without the braces, for responses that add their own. */
export function summaryMembers(record: CheckpointRecord): string {
  return `${headMembers(record)},${tailPieces(withHistoryLength(record)).join('')}`;
}

function withHistoryLength(record: CheckpointRecord): CheckpointRecord {
  return { ...record, extra: amendedExtra(record.extra, [historyLengthOf(record)]) };
}

function historyLengthOf({ history_length }: CheckpointRecord) {
  return { name: '"history_length"', value: String(history_length) };
}

function headMembers(record: CheckpointRecord): string {
  return (
    `"thread_id":${JSON.stringify(record.thread_id)},"trace_id":${JSON.stringify(record.trace_id)},` +
    `"parent_trace_id":${JSON.stringify(record.parent_trace_id)},"agent_id":${JSON.stringify(record.agent_id)},` +
    `"step_index":${record.step_index},"status":${JSON.stringify(record.status)}`
  );
}

function tailPieces(record: CheckpointRecord): (string | Buffer)[] {
  return [
    `${fieldMembers(record)},`,
    ...extraPieces(record.extra),
    `"updated_at":"${isoTime(record.updated_at)}","error":${record.error ?? 'null'},"approval":${record.approval ?? 'null'}`,
  ];
}

function extraPieces(extra: CheckpointRecord['extra']): (string | Buffer)[] {
  if (extra === null) return [];
  return typeof extra === 'string' ? [`${extra},`] : [...extra.parts, ','];
}
