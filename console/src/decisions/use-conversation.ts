import { useQuery } from '@tanstack/react-query';
import { api, read } from '../api/client.js';
import { readMessages, shownMessages, type Message } from '../lib/messages.js';
import { lastPlaces } from './last-places.js';
import type { Approval } from './inbox.js';

/** Messages to load: some are results, which are shown with their calls. */
const LAST = 16;

export interface Conversation {
  /** The last messages before the calls. */
  messages: Message[];
  /** All messages of the run so far. */
  total: number;
}

/** The end of the conversation that led to the calls. */
export function useConversation(approval: Approval) {
  const { thread_id, trace_id, attempt, step } = approval;
  return useQuery({
    queryKey: ['conversation', thread_id, trace_id, attempt, step],
    queryFn: () => loadConversation(approval),
    staleTime: Infinity,
  });
}

async function loadConversation({ thread_id, trace_id, attempt, step }: Approval): Promise<Conversation> {
  const path = { thread_id };
  const { items } = await read(api.GET('/threads/{thread_id}/steps', { params: { path, query: { trace_id } } }));
  // Waiting agents may report an empty history: the previous one still applies.
  const last = items.findLast((one) => one.attempt === attempt && one.step_index <= step && one.history_places !== '');
  if (!last) return { messages: [], total: 0 };
  const query = { history: lastPlaces(last.history_places, LAST) };
  const { history } = await read(api.GET('/threads/{thread_id}/messages', { params: { path, query } }));
  return { messages: withoutOpenCalls(shownMessages(readMessages(history))), total: last.history_length };
}

/** Without the message that made the waiting calls: they are shown above, exactly as they will be decided. */
function withoutOpenCalls(messages: Message[]): Message[] {
  const last = messages.at(-1);
  if (!last) return messages;
  const parts = last.parts.filter((part) => part.kind !== 'call' || part.call.result);
  return parts.length === 0 ? messages.slice(0, -1) : [...messages.slice(0, -1), { ...last, parts }];
}
