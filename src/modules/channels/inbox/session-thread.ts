import { digestOf } from '../../../common/digest.js';
import type { SessionMode } from '../accounts/channel.entity.js';

const MAX_THREAD_ID = 512;

/** What a session is made of; which of it counts, the mode says. */
export interface SessionPlace {
  channelId: string;
  mode: SessionMode;
  /** The id under which the sessions of the chat were begun. */
  sessionChatId: string;
  topic: string | null;
  userId: string;
  messageId: string;
  agentName: string;
}

/**
 * The thread of a session: readable, and another one for everything that is another session. A person has a thread in each chat,
 * so that nothing private gets into a group.
 */
export function sessionThreadOf({ channelId, mode, sessionChatId, topic, ...rest }: SessionPlace): string {
  const parts = ['channel', channelId, sessionChatId];
  if (topic !== null) parts.push('topic', topic);
  if (mode === 'per_user') parts.push('user', rest.userId);
  if (mode === 'per_message') parts.push('message', rest.messageId);
  return fitted([...parts, rest.agentName].map(escaped).join(':'));
}

/** Ids may hold what stands between them here. */
function escaped(part: string): string {
  return part.replaceAll(/[%:\p{Cc}\p{Cs}\u2028\u2029]/gu, (char) => encodeURIComponent(char.toWellFormed()));
}

function fitted(id: string): string {
  if (id.length <= MAX_THREAD_ID) return id;
  const digest = digestOf(id);
  return `${id.slice(0, MAX_THREAD_ID - digest.length - 1).toWellFormed()}:${digest}`;
}
