import type { components } from '../api/openapi.gen.js';
import { approvalKey, effectKey } from '../lib/inbox-key.js';
import { callsPlace, effectPlace } from '../lib/inbox-place.js';

export type Approval = components['schemas']['ApprovalDto'];
export type Effect = components['schemas']['EffectDto'];

/** Tool calls that wait for a decision or an answer, or an effect with an unknown outcome. */
export type Subject = { kind: 'calls'; record: Approval } | { kind: 'doubt'; record: Effect };

export interface InboxItem {
  /** Changed calls and a further attempt have a different key. */
  key: string;
  subject: Subject;
  /** The outcome once nobody has to decide any more; `gone` if the server no longer has the item. */
  outcome: Approval | Effect | 'gone' | null;
  /** The calls that these replaced while somebody may have been looking at them. */
  changedFrom: Approval | null;
}

export type InboxEvent =
  | { type: 'calls'; record: Approval }
  | { type: 'doubt'; record: Effect }
  /** Everything that waits now; an item that waited before and is missing here is gone. */
  | { type: 'present'; keys: ReadonlySet<string> }
  | { type: 'clear' };

/** The inbox after some events. A closed item keeps its place until it is cleared, so nothing moves under a thumb. */
export function inboxAfter(items: readonly InboxItem[], events: readonly InboxEvent[]): InboxItem[] {
  const next = new Inbox(items);
  for (const event of events) next.apply(event);
  return next.items;
}

export function isWaiting({ outcome }: InboxItem): boolean {
  return outcome === null;
}

/** The index of the next waiting item, wrapping around at the end; -1 if no other waits. */
export function nextWaiting(items: readonly InboxItem[], from: number): number {
  const after = items.findIndex((item, index) => index > from && isWaiting(item));
  return after === -1 ? items.findIndex((item, index) => index !== from && isWaiting(item)) : after;
}

/** How an address names an item. */
export function placeOf({ kind, record }: Subject): string {
  return kind === 'calls' ? callsPlace(record) : effectPlace(record);
}

/** What a person has to do about it. */
export function kindOf({ kind, record }: Subject): 'calls' | 'question' | 'doubt' {
  return kind === 'calls' && record.kind === 'question' ? 'question' : kind;
}

/** When it began to wait. */
export function sinceOf({ kind, record }: Subject): string {
  return kind === 'calls' ? record.created_at : record.started_at;
}

class Inbox {
  readonly items: InboxItem[];
  private readonly known: Map<string, InboxItem>;

  constructor(items: readonly InboxItem[]) {
    this.items = [...items];
    this.known = new Map(items.map((item) => [item.key, item]));
  }

  apply(event: InboxEvent): void {
    if (event.type === 'calls') this.addCalls(event.record);
    else if (event.type === 'doubt') this.addDoubt(event.record);
    else if (event.type === 'present') this.closeAllBut(event.keys);
    else this.items.splice(0, this.items.length, ...this.items.filter(isWaiting));
  }

  private addCalls(record: Approval): void {
    const key = approvalKey(record);
    const known = this.known.get(key);
    const isPending = record.status === 'pending';
    if (known) return this.change(known, { subject: { kind: 'calls', record }, outcome: isPending ? null : record });
    if (!isPending) return;
    const item: InboxItem = { key, subject: { kind: 'calls', record }, outcome: null, changedFrom: null };
    const before = this.items.findLast((other) => isReplacedBy(other, record));
    if (before) this.replace(before, item);
    else this.insert(item);
  }

  private addDoubt(record: Effect): void {
    const key = effectKey(record);
    const known = this.known.get(key);
    if (known) this.change(known, { subject: { kind: 'doubt', record }, outcome: record.in_doubt ? null : record });
    else if (record.in_doubt)
      this.insert({ key, subject: { kind: 'doubt', record }, outcome: null, changedFrom: null });
  }

  private closeAllBut(keys: ReadonlySet<string>): void {
    for (const item of [...this.items])
      if (isWaiting(item) && !keys.has(item.key)) this.change(item, { outcome: 'gone' });
  }

  private change(item: InboxItem, changes: Partial<InboxItem>): void {
    const changed = { ...item, ...changes };
    this.items[this.items.indexOf(item)] = changed;
    this.known.set(item.key, changed);
    // The new calls may be reported before the old ones end.
    const { outcome } = changed;
    if (typeof outcome !== 'object' || outcome === null || !('digest' in outcome) || outcome.status !== 'superseded')
      return;
    const newer = this.items.find(
      (other) =>
        isWaiting(other) &&
        other.changedFrom === null &&
        other.subject.kind === 'calls' &&
        isReplacedBy(changed, other.subject.record),
    );
    if (!newer) return;
    this.items.splice(this.items.indexOf(newer), 1);
    this.replace(changed, newer);
  }

  private replace(before: InboxItem, item: InboxItem): void {
    const changedFrom = before.subject.kind === 'calls' ? before.subject.record : null;
    const replacing = { ...item, changedFrom };
    this.items[this.items.indexOf(before)] = replacing;
    this.known.delete(before.key);
    this.known.set(item.key, replacing);
  }

  /** Longest waiting first; new items usually come last. */
  private insert(item: InboxItem): void {
    const since = sinceOf(item.subject);
    const at = this.items.findLastIndex((other) => sinceOf(other.subject) <= since);
    this.items.splice(at + 1, 0, item);
    this.known.set(item.key, item);
  }
}

/** Whether the record replaces calls that the same run asked about before and that nobody decided. */
function isReplacedBy({ subject, outcome }: InboxItem, record: Approval): boolean {
  if (subject.kind !== 'calls') return false;
  const { thread_id, trace_id, step, digest, created_at } = subject.record;
  if (thread_id !== record.thread_id || trace_id !== record.trace_id || digest === record.digest) return false;
  if (created_at > record.created_at) return false;
  if (outcome === null) return step === record.step;
  return typeof outcome === 'object' && 'digest' in outcome && outcome.status === 'superseded';
}
