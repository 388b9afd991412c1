import { digestOf } from '../../../common/digest.js';
import type { NewMessage } from './inbound-row.js';

/** An album comes as many messages: within so long one answer is enough for all of one kind in a chat. */
const SAME_ANSWER_MS = 60_000;

const SUBJECTS: Readonly<Record<string, string>> = {
  image: 'Pictures',
  audio: 'Voice messages and other sounds',
  video: 'Videos',
  document: 'Files',
};

/** What somebody reads who has sent something without words. */
export function wordlessAnswer(kind: string): string {
  return `${SUBJECTS[kind] ?? 'Messages without words'} cannot be read here yet; please write what it is about.`;
}

/** The key under which the answer is queued, once. */
export function wordlessKey({ chat_id, topic, created_at }: NewMessage, kind: string): string {
  const place = digestOf(JSON.stringify([chat_id, topic, SUBJECTS[kind] ?? null]));
  return `wordless:${Math.floor(created_at / SAME_ANSWER_MS)}:${place}`;
}
