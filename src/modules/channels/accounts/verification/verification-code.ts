import { randomInt } from 'node:crypto';
import type { Channel } from '../channel.entity.js';
import type { ChannelChanges } from '../channels.repository.js';

const DIGITS = 6;
const LIFETIME_MS = 15 * 60_000;
/** Wrong tries of one person in one chat, and of all operators together. */
const MAX_TRIES_EACH = 5;
/**
 * Wrong tries in all chats together. A few people who guess must not stop the others, so after the first bound those may still try who
 * have not guessed wrong yet. So a hundred people who guess together hit once in five thousand codes, and any number once in two thousand.
 */
const MAX_TRIES = 100;
const MAX_TRIES_OF_NEWCOMERS = 500;

/** `none`: no code is pending, or it has expired. */
export type CodeVerdict = 'right' | 'wrong' | 'locked' | 'none';

/** Who attempts a code: a person in a chat, or an operator. */
export interface CodeTrier {
  chatId: string;
  userId: string;
}

/** Wrong tries of one person before. */
export interface TriesBefore {
  inChat: number;
  inAllChats: number;
}

export const OPERATOR: CodeTrier = { chatId: '', userId: '' };

/** What one try leads to, and what of it is to be stored. */
export interface CodeTry {
  verdict: CodeVerdict;
  changes: ChannelChanges;
}

type CodeState = Pick<Channel, 'code_digest' | 'code_expires_at' | 'code_tries'>;

/** Six digits that nobody can guess within the tries there are. */
export function newVerificationCode(): string {
  return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
}

export function isCodeShaped(text: string): boolean {
  return /^\d{6}$/.test(text);
}

/** Waits from now on for a code with this digest; an earlier one is worth nothing any more. */
export function awaitCode(digest: string, nowMs: number): CodeState & { code_expires_at: number } {
  return { code_digest: digest, code_expires_at: nowMs + LIFETIME_MS, code_tries: 0 };
}

/** Whether a try means something, to whomever. */
export function isCodePending({ code_digest, code_expires_at }: CodeState, nowMs: number): boolean {
  return code_digest !== null && nowMs < Number(code_expires_at);
}

/**
 * One try at the code of a locked channel.
 * @param before wrong ones by the same
 */
export function tryCode(
  state: CodeState,
  { isRight, before, by }: { isRight: boolean; before: TriesBefore; by: CodeTrier },
  nowMs: number,
): CodeTry {
  if (state.code_digest !== null && isLocked(state, before, by)) return { verdict: 'locked', changes: {} };
  if (!isCodePending(state, nowMs)) return { verdict: 'none', changes: {} };
  if (!isRight) return { verdict: 'wrong', changes: by === OPERATOR ? {} : { code_tries: state.code_tries + 1 } };
  const used = { code_digest: null, code_expires_at: null, code_tries: 0 };
  const verifiedBy = by === OPERATOR ? null : by.userId;
  return { verdict: 'right', changes: { ...used, verified: true, verified_by: verifiedBy, updated_at: nowMs } };
}

/** Operators are never locked by what strangers write. */
function isLocked({ code_tries }: CodeState, { inChat, inAllChats }: TriesBefore, by: CodeTrier): boolean {
  if (inChat >= MAX_TRIES_EACH) return true;
  if (by === OPERATOR) return false;
  return code_tries >= (inAllChats === 0 ? MAX_TRIES_OF_NEWCOMERS : MAX_TRIES);
}
