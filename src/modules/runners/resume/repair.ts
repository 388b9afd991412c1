/**
 * What was changed in a history:
 * - `inserted_result`: a call without a result got one
 * - `replaced_result`: an earlier repair said that the outcome was unknown; the ledger knows it now
 * - `moved_result`: a result was where the provider does not accept it
 * - `removed_result`: a result had no call, or its call already had one
 * - `removed_call`: a call that only the provider could have answered has no result
 * - `removed_reasoning`: the answer that the reasoning belonged to is missing, or the provider's signature is
 * - `removed_empty`: a text or a list of tool calls is empty
 * - `removed_message`: a message says nothing and calls nothing
 * - `reordered_message`: text followed the tool calls of its message
 * - `inserted_message`: a message replaces one that lost all its content, or precedes a history that may not begin as it does
 * - `merged_message`: the provider expects one message instead of two of one role
 * - `appended_note`: tells of effects whose calls are not in the history
 * - `not_understood`: the history has no known shape and is returned unchanged
 */
export const REPAIR_KINDS = [
  'inserted_result',
  'replaced_result',
  'moved_result',
  'removed_result',
  'removed_call',
  'removed_reasoning',
  'removed_empty',
  'removed_message',
  'reordered_message',
  'inserted_message',
  'merged_message',
  'appended_note',
  'not_understood',
] as const;

export type RepairKind = (typeof REPAIR_KINDS)[number];

export interface Repair {
  /** Index of the changed message in the reported history; its length for appended messages. */
  index: number;
  kind: RepairKind;
  call_id: string | null;
  /** A sentence for people. */
  detail: string;
}

/** Messages as exact JSON. */
export interface RepairedHistory {
  messages: readonly Buffer[];
  repairs: readonly Repair[];
}
