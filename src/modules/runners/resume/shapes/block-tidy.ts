import { arrayOf, elementsOf, isBlank, isText, membersOf, nameOf, withValue } from '../../../../common/exact-values.js';
import type { DraftMessage, HistoryDraft } from '../history-draft.js';
import type { RepairKind } from '../repair.js';
import type { BlockShape } from './block-shape.js';

/** Why a block is refused; null if it is not. */
export type Refusal = (block: Buffer) => { kind: RepairKind; detail: string } | null;

export const EMPTY_TEXT = { kind: 'removed_empty', detail: 'The provider refuses a text without words.' } as const;

/** Replaces a user message whose removal would merge two model turns. */
const LEFT_OUT = 'A message without words stood here.';

type Said = DraftMessage & { role: string | null; isEmpty: boolean };

/** Removes blocks that a provider refuses anywhere, and messages that have only such blocks. */
export function tidyBlocks(
  shape: BlockShape,
  refusalOf: Refusal,
  history: readonly DraftMessage[],
  draft: HistoryDraft,
): DraftMessage[] {
  const messages = history.map((message) => withoutRefused(shape, refusalOf, message, draft));
  const kept: Said[] = [];
  const solid = messages.filter(({ isEmpty }) => !isEmpty);
  let next = 0;
  for (const message of messages) {
    if (!message.isEmpty) next += 1;
    const isNeeded = message.isEmpty && message.role !== shape.modelRole && kept.at(-1)?.role === shape.modelRole;
    if (!message.isEmpty) kept.push(message);
    else if (isNeeded && solid[next]?.role === shape.modelRole) {
      draft.noteRepair(
        message.at,
        'inserted_message',
        null,
        'Without it two messages of the model would stand in a row.',
      );
      kept.push({ ...message, bytes: userMessage(shape, LEFT_OUT) });
    } else draft.noteRepair(message.at, 'removed_message', null, 'It says nothing, which the provider refuses.');
  }
  return kept;
}

export function userMessage(shape: BlockShape, text: string): Buffer {
  return Buffer.from(`{"role":"user","${shape.list}":[${shape.text(text).toString()}]}`);
}

function withoutRefused(shape: BlockShape, refusalOf: Refusal, message: DraftMessage, draft: HistoryDraft): Said {
  const { at, bytes } = message;
  const members = membersOf(bytes);
  const role = nameOf(members.get('role'));
  const list = members.get(shape.list);
  // The content of a system prompt is up to its sender.
  if (role === 'system' || (list === undefined && members.has('content'))) return { at, bytes, role, isEmpty: false };
  if (isText(list)) return { at, bytes, role, isEmpty: isBlank(list) };
  const blocks = elementsOf(list) ?? [];
  const kept = blocks.filter((block) => {
    const refusal = refusalOf(block);
    if (refusal) draft.noteRepair(at, refusal.kind, null, refusal.detail);
    return refusal === null;
  });
  const isSame = kept.length === blocks.length;
  return { at, bytes: isSame ? bytes : withValue(bytes, list!, arrayOf(kept)), role, isEmpty: kept.length === 0 };
}
