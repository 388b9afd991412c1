import { useState } from 'react';
import { useSession } from '../session/session.js';
import { withRefused } from './calls-card.js';
import { chosenBy, entryOf, onlyQuestion, withEntry } from './answers.js';
import type { CardProps } from './card.js';
import { EMPTY_DRAFT, type Draft } from './draft.js';
import { isWaiting, type InboxEvent, type InboxItem } from './inbox.js';
import { keysOf } from './inbox-keys.js';
import { useDecide, type Act } from './use-decide.js';

interface CardsOptions {
  tell: (...events: InboxEvent[]) => void;
  /** Whether the person may have meant something else that was there a moment ago. */
  isUnsure: (item: InboxItem, byKey: boolean) => boolean;
  /** After a decision that the server accepted. */
  onDecided: (item: InboxItem, byKey: boolean) => void;
}

type OfItem = Omit<CardProps, 'isActive'> & { editing: number | null; onEdit: (index: number | null) => void };

export interface Cards {
  mayDecide: boolean;
  /** The last action, for screen readers. */
  said: string;
  /** What the card of an item shows and does. */
  propsOf: (item: InboxItem) => OfItem;
  /** The keys that decide this item; none for a read-only session or an item that no longer waits. */
  keysOf: (item: InboxItem | undefined) => Record<string, (event: KeyboardEvent) => void>;
}

/** People's input for waiting items, and how they decide them. */
export function useCards({ tell, isUnsure, onDecided }: CardsOptions): Cards {
  const session = useSession();
  const mayDecide = session.at !== 'in' || session.session?.scope !== 'reader';
  const { busy, faults, said, act } = useDecide(tell);
  const [drafts, setDrafts] = useState<ReadonlyMap<string, Draft>>(new Map());
  const [editing, setEditing] = useState<{ key: string; index: number } | null>(null);
  const draftOf = (item: InboxItem) => drafts.get(item.key) ?? EMPTY_DRAFT;
  const keep = (item: InboxItem, draft: Draft) => setDrafts((before) => new Map(before).set(item.key, draft));
  const decide = async (item: InboxItem, wanted: Act, byKey: boolean) => {
    if (!mayDecide || !isWaiting(item)) return;
    if (!(await act(item, draftOf(item), wanted, { byKey, isUnsure: isUnsure(item, byKey) }))) return;
    setEditing(null);
    onDecided(item, byKey);
  };
  return {
    mayDecide,
    said,
    propsOf: (item) => ({
      draft: draftOf(item),
      onDraft: (draft) => keep(item, draft),
      onAct: (wanted) => void decide(item, wanted, false),
      isBusy: busy.has(item.key),
      fault: faults.get(item.key),
      mayDecide,
      editing: editing?.key === item.key ? editing.index : null,
      onEdit: (at) => setEditing(at === null ? null : { key: item.key, index: at }),
    }),
    keysOf: (item) =>
      item && isWaiting(item) && mayDecide
        ? keysOf(item, {
            act: (wanted) => void decide(item, wanted, true),
            choose: (option) => keep(item, withOption(item, draftOf(item), option)),
            refuse: (index) => keep(item, withRefused(draftOf(item), index, !draftOf(item).refused.has(index))),
            edit: (index) => setEditing({ key: item.key, index }),
          })
        : {},
  };
}

/** The draft after an option of the only question was chosen. */
function withOption({ subject }: InboxItem, draft: Draft, option: number): Draft {
  const only = subject.kind === 'calls' ? onlyQuestion(subject.record) : null;
  const value = only?.question.options[option]?.value;
  if (!only || value === undefined) return draft;
  const { index, question } = only;
  return withEntry(draft, index, question, chosenBy(question, entryOf(draft, index, question), value));
}
