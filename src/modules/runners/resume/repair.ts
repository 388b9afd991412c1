/**
 * What was changed in a history:
 * - `inserted_result`: a call had no result and got one
 * - `replaced_result`: an earlier repair said that the outcome was not known; the ledger knows it now
 * - `moved_result`: a result stood where the provider does not accept it
 * - `removed_result`: a result had no call, or its call had another result before
 * - `removed_call`: a call that nobody but the provider could have answered has no result
 * - `removed_reasoning`: the answer that the reasoning belonged to is missing, or the provider's signature is
 * - `removed_empty`: a text, or a list of tool calls, has nothing in it
 * - `removed_message`: a message says nothing and calls nothing
 * - `reordered_message`: text stood behind the tool calls of its message
 * - `inserted_message`: a message takes the place of one that lost everything it said, or stands before a history that may not begin as it does
 * - `merged_message`: the provider expects one message in place of two of one role
 * - `appended_note`: tells of effects whose calls are not in the history
 * - `not_understood`: the history is of no shape that is known here; it is given back unchanged
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

/** One change between the history as reported and the one for the model. */
export interface Repair {
  /** The message of the reported history that the change is about; its length for what was appended. */
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
