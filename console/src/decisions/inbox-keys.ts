import { canDecidePerCall, canEdit } from './draft.js';
import type { InboxItem } from './inbox.js';
import type { Act } from './use-decide.js';

interface ItemKeys {
  act: (act: Act) => void;
  refuse: (index: number) => void;
  edit: (index: number) => void;
}

/** The keys of the selected item. One that is held down decides once. */
export function keysOf(
  { key, subject }: InboxItem,
  { act, refuse, edit }: ItemKeys,
): Record<string, (event: KeyboardEvent) => void> {
  const once = (wanted: Act) => (event: KeyboardEvent) => {
    if (!event.repeat) act(wanted);
  };
  const reason = () => document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"] .reason`)?.focus();
  if (subject.kind === 'doubt') return { y: once('completed'), n: once('not_done'), m: reason, e: () => edit(0) };
  const { record } = subject;
  const editable = record.tool_calls.find((call) => canEdit(record, call));
  const numbers = canDecidePerCall(record)
    ? record.tool_calls.slice(0, 9).map(({ index }) => [String(index + 1), () => refuse(index)] as const)
    : [];
  return {
    a: once('approve'),
    'Control+Enter': once('approve'),
    r: once('reject'),
    m: reason,
    ...(editable ? { e: () => edit(editable.index) } : {}),
    ...Object.fromEntries(numbers),
  };
}
