import { useCallback, useRef, useState } from 'react';
import { api, read } from '../api/client.js';
import { Problem } from '../api/problem.js';
import { answerOf, decisionOf, faultOf, resultFaultOf, settlingOf, type Draft, type Verb } from './draft.js';
import type { Approval, Effect, InboxEvent, InboxItem } from './inbox.js';
import { currentApproval, currentEffect } from './waiting-data.js';

/** How a person gave the order. */
export interface Order {
  byKey: boolean;
  /** Something changed a moment ago, so the order may have been meant for something else. */
  isUnsure: boolean;
}

/** A person's action on an item: a decision on calls, or whether an effect happened. */
export type Act = Verb | 'completed' | 'not_done';

export interface Decide {
  /** Keys of items whose decision is on its way. */
  busy: ReadonlySet<string>;
  /** Why the last action on an item failed, by its key. */
  faults: ReadonlyMap<string, string>;
  /** The last action, for screen readers. */
  said: string;
  /** @returns whether it succeeded */
  act: (item: InboxItem, draft: Draft, act: Act, order: Order) => Promise<boolean>;
}

/** After a decision, the next item may move under the finger: a second press within this time is ignored. */
const SHIELD_MS = 400;
const UNSURE = 'Nothing was decided: the list changed a moment ago. Look again, then decide.';

/** Sends decisions. If the server refuses one, loads what became of the item. */
export function useDecide(tell: (...events: InboxEvent[]) => void): Decide {
  const [busy, setBusy] = useState<ReadonlySet<string>>(new Set());
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const [said, setSaid] = useState('');
  const sending = useRef(new Set<string>());
  const shieldUntil = useRef(0);

  const act = useCallback(
    async ({ key, subject }: InboxItem, draft: Draft, wanted: Act, { byKey, isUnsure }: Order) => {
      if (sending.current.has(key) || (!byKey && performance.now() < shieldUntil.current)) return false;
      const fail = (text: string | null) => setFaults((before) => withFault(before, key, text));
      const fault = isUnsure ? UNSURE : faultIn(subject, draft, wanted);
      fail(fault);
      if (fault !== null) return false;
      sending.current.add(key);
      setBusy(new Set(sending.current));
      try {
        const event = await send(subject, draft, wanted);
        tell(event);
        setSaid(sentenceOf(event));
        shieldUntil.current = performance.now() + SHIELD_MS;
        return true;
      } catch (error) {
        fail(error instanceof Error ? error.message : String(error));
        if (error instanceof Problem && error.status < 500) for (const event of await now(subject)) tell(event);
        return false;
      } finally {
        sending.current.delete(key);
        setBusy(new Set(sending.current));
      }
    },
    [tell],
  );
  return { busy, faults, said, act };
}

/** Why it cannot be sent as entered; null if it can. */
function faultIn(subject: InboxItem['subject'], draft: Draft, act: Act): string | null {
  if (subject.kind === 'calls') return act === 'reject' ? null : faultOf(subject.record, draft);
  const fault = act === 'completed' ? resultFaultOf(draft) : null;
  return fault && `The result is not JSON: line ${fault.line}, column ${fault.column}: ${fault.message}.`;
}

async function send(subject: InboxItem['subject'], draft: Draft, act: Act): Promise<InboxEvent> {
  if (subject.kind === 'doubt')
    return { type: 'doubt', record: await settle(subject.record, draft, act as 'completed' | 'not_done') };
  const { thread_id, trace_id, step } = subject.record;
  const params = { path: { trace_id, step }, query: { thread_id } };
  const record =
    act === 'answer'
      ? api.POST('/approvals/{trace_id}/{step}/answer', { params, body: answerOf(subject.record, draft) })
      : api.POST(act === 'approve' ? '/approvals/{trace_id}/{step}/approve' : '/approvals/{trace_id}/{step}/reject', {
          params,
          body: decisionOf(subject.record, draft, act as 'approve' | 'reject'),
        });
  return { type: 'calls', record: await read(record) };
}

function settle(effect: Effect, draft: Draft, outcome: 'completed' | 'not_done') {
  const { thread_id, key, agent_id } = effect;
  return read(
    api.PUT('/v1/runners/threads/{thread_id}/effects/{key}', {
      params: { path: { thread_id, key }, query: { agent_id } },
      body: settlingOf(effect, draft, outcome),
    }),
  );
}

/** What has replaced a subject by now. */
async function now(subject: InboxItem['subject']): Promise<InboxEvent[]> {
  try {
    if (subject.kind === 'doubt') {
      const record = await currentEffect(subject.record);
      return record ? [{ type: 'doubt', record }] : [];
    }
    const record = await currentApproval(subject.record);
    return record ? [{ type: 'calls', record }] : [];
  } catch {
    // The stream reports it too.
    return [];
  }
}

function sentenceOf(event: InboxEvent): string {
  if (event.type === 'calls') return `${outcomeOf(event.record)}.`;
  return event.type === 'doubt' ? `${outcomeOf(event.record)}.` : '';
}

/** Outcomes of questions, in words. */
const ANSWERED: Record<string, string> = { approved: 'Answered', rejected: 'Declined' };

const OUTCOMES: Record<string, string> = {
  approved: 'Approved',
  rejected: 'Rejected',
  expired: 'Expired: nobody decided in time',
  superseded: 'Withdrawn: the run ended or went on',
  completed: 'It happened',
  not_done: 'It did not happen',
  failed: 'It failed',
  started: 'Started again',
};

/** The outcome of an item, in words. */
export function outcomeOf(outcome: Approval | Effect): string {
  const state = 'digest' in outcome ? outcome.status : outcome.state;
  const isAnswer = 'digest' in outcome && outcome.kind === 'question';
  const words = (isAnswer ? ANSWERED[state] : undefined) ?? OUTCOMES[state] ?? state;
  if (isAnswer && outcome.decided_through === 'default') return `${words} with the defaults: nobody answered in time`;
  if ('digest' in outcome && outcome.rule_id !== null) return `${words} by a rule`;
  if (outcome.decided_by === null) return words;
  return 'digest' in outcome ? `${words} by ${outcome.decided_by}` : `${words}, says ${outcome.decided_by}`;
}

function withFault(before: ReadonlyMap<string, string>, key: string, text: string | null): ReadonlyMap<string, string> {
  const after = new Map(before);
  if (text === null) after.delete(key);
  else after.set(key, text);
  return after;
}
