import { onlyQuestion } from './answers.js';
import { canDecidePerCall, canEdit, canReject, canSayYes, yesOf } from './draft.js';
import type { InboxItem } from './inbox.js';
import type { Act } from './use-decide.js';

interface ItemKeys {
  act: (act: Act) => void;
  /** Chooses an option of the only question. */
  choose: (option: number) => void;
  refuse: (index: number) => void;
  edit: (index: number) => void;
}

/** The keys of the selected item. Holding a key down decides only once. */
export function keysOf(
  { key, subject }: InboxItem,
  { act, choose, refuse, edit }: ItemKeys,
): Record<string, (event: KeyboardEvent) => void> {
  const once = (wanted: Act) => (event: KeyboardEvent) => {
    if (!event.repeat) act(wanted);
  };
  const focus = (fields: string) => () =>
    document.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"] :is(${fields})`)?.focus();
  const [reason, firstField] = [focus('.reason'), focus('.question :is(input, textarea)')];
  if (subject.kind === 'doubt') return { y: once('completed'), n: once('not_done'), m: reason, e: () => edit(0) };
  const { record } = subject;
  const editable = record.tool_calls.find((call) => canEdit(record, call));
  const options = onlyQuestion(record)?.question.options ?? [];
  const digits = (count: number, press: (at: number) => void) =>
    Array.from({ length: Math.min(9, count) }, (_, at) => [String(at + 1), () => press(at)] as const);
  const numbers = canDecidePerCall(record) ? digits(record.tool_calls.length, refuse) : digits(options.length, choose);
  const yes = yesOf(record);
  return {
    // For questions, the key only focuses the first field: it must never send a default that nobody looked at.
    ...(canSayYes(record) ? { a: yes === 'answer' ? firstField : once(yes), 'Control+Enter': once(yes) } : {}),
    ...(canReject(record) ? { r: once('reject') } : {}),
    m: reason,
    ...(editable ? { e: () => edit(editable.index) } : {}),
    ...Object.fromEntries(numbers),
  };
}
