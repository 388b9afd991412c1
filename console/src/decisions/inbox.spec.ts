import { approvalKey } from '../lib/inbox-key.js';
import {
  inboxAfter,
  isWaiting,
  placeOf,
  type Approval,
  type Effect,
  type InboxEvent,
  type InboxItem,
} from './inbox.js';

const approval = (trace_id: string, fields: Partial<Approval> = {}): Approval =>
  ({
    thread_id: 't',
    trace_id,
    step: 1,
    attempt: 1,
    digest: 'd1',
    status: 'pending',
    created_at: '10:00',
    ...fields,
  }) as Approval;
const effect = (key: string, fields: Partial<Effect> = {}): Effect =>
  ({
    thread_id: 't',
    agent_id: 'a',
    key,
    attempt: 1,
    in_doubt: true,
    started_at: '10:00',
    state: 'started',
    ...fields,
  }) as Effect;
const calls = (record: Approval): InboxEvent => ({ type: 'calls', record });
const doubt = (record: Effect): InboxEvent => ({ type: 'doubt', record });
const outline = (items: readonly InboxItem[]) =>
  items.map((item) => {
    const { subject } = item;
    const name = subject.kind === 'calls' ? `${subject.record.trace_id} ${subject.record.digest}` : subject.record.key;
    const changed = item.changedFrom === null ? '' : ` after ${item.changedFrom.digest}`;
    return `${name}${changed}${isWaiting(item) ? '' : ' closed'}`;
  });

describe('The inbox', () => {
  it('holds what waits the longest first, each once', () => {
    const late = calls(approval('late', { created_at: '10:05' }));
    const events = [late, calls(approval('early')), doubt(effect('charge', { started_at: '10:02' })), late];
    expect(outline(inboxAfter([], events))).toEqual(['early d1', 'charge', 'late d1']);
  });

  it('keeps the place of what is closed, until it is cleared', () => {
    const items = inboxAfter([], [calls(approval('a')), doubt(effect('b')), calls(approval('c'))]);
    const closed = inboxAfter(items, [
      calls(approval('a', { status: 'approved' })),
      doubt(effect('b', { in_doubt: false, state: 'completed' })),
      calls(approval('never seen', { status: 'rejected' })),
    ]);
    expect(outline(closed)).toEqual(['a d1 closed', 'b closed', 'c d1']);
    expect(outline(inboxAfter(closed, [{ type: 'clear' }]))).toEqual(['c d1']);
  });

  it.each<[string, InboxEvent[]]>([
    [
      'the end of the old ones is told first',
      [calls(approval('a', { status: 'superseded' })), calls(approval('a', { digest: 'd2', created_at: '10:09' }))],
    ],
    [
      'the new ones are told first',
      [calls(approval('a', { digest: 'd2', created_at: '10:09' })), calls(approval('a', { status: 'superseded' }))],
    ],
    [
      'they come in a later step',
      [
        calls(approval('a', { digest: 'd2', step: 2, created_at: '10:09' })),
        calls(approval('a', { status: 'superseded' })),
      ],
    ],
  ])('puts changed calls in the place of the old ones: %s', (_what, events) => {
    const items = inboxAfter([], [calls(approval('a')), calls(approval('b', { created_at: '10:01' }))]);
    expect(outline(inboxAfter(items, events))).toEqual(['a d2 after d1', 'b d1']);
  });

  it('does not take the next question of a run for a change of a decided one', () => {
    const items = inboxAfter([], [calls(approval('a', {})), calls(approval('a', { status: 'approved' }))]);
    const next = inboxAfter(items, [calls(approval('a', { step: 2, digest: 'd2', created_at: '10:09' }))]);
    expect(outline(next)).toEqual(['a d1 closed', 'a d2']);
  });

  it('closes what is gone when it looks again', () => {
    const items = inboxAfter([], [calls(approval('a')), calls(approval('b'))]);
    const present = { type: 'present', keys: new Set([approvalKey(approval('b'))]) } as const;
    expect(outline(inboxAfter(items, [present]))).toEqual(['a d1 closed', 'b d1']);
  });

  it('takes a second attempt of an effect for another', () => {
    const items = inboxAfter([], [doubt(effect('a')), doubt(effect('a', { in_doubt: false, state: 'not_done' }))]);
    expect(outline(inboxAfter(items, [doubt(effect('a', { attempt: 2 }))]))).toEqual(['a closed', 'a']);
  });

  it('has an address of its own for each item, whatever agents call their runs and effects', () => {
    const items = inboxAfter(
      [],
      [
        calls(approval('a')),
        calls(approval('a', { thread_id: 'u' })),
        calls(approval('a/1')),
        doubt(effect('a')),
        doubt(effect('a', { agent_id: 'b' })),
      ],
    );
    expect(new Set(items.map(({ subject }) => placeOf(subject))).size).toBe(5);
  });
});
