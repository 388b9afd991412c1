import { digestOf } from '../../../common/digest.js';
import type { SessionMode } from '../accounts/channel.entity.js';

const MAX_THREAD_ID = 512;

/** The parts of a session's identity; the mode decides which count. */
export interface SessionPlace {
  channelId: string;
  mode: SessionMode;
  /** The chat's id when its sessions started. */
  sessionChatId: string;
  topic: string | null;
  userId: string;
  messageId: string;
  agentName: string;
}

/**
 * The thread of a session: readable, and unique to the session. A person has a separate thread in each chat, so that nothing private gets
 * into a group.
 */
export function sessionThreadOf({ channelId, mode, sessionChatId, topic, ...rest }: SessionPlace): string {
  const parts = ['channel', channelId, sessionChatId];
  if (topic !== null) parts.push('topic', topic);
  if (mode === 'per_user') parts.push('user', rest.userId);
  if (mode === 'per_message') parts.push('message', rest.messageId);
  return fitted([...parts, rest.agentName].map(escaped).join(':'));
}

/** Ids may contain the separators. */
function escaped(part: string): string {
  return part.replaceAll(/[%:\p{Cc}\p{Cs}\u2028\u2029]/gu, (char) => encodeURIComponent(char.toWellFormed()));
}

function fitted(id: string): string {
  if (id.length <= MAX_THREAD_ID) return id;
  const digest = digestOf(id);
  return `${id.slice(0, MAX_THREAD_ID - digest.length - 1).toWellFormed()}:${digest}`;
}
