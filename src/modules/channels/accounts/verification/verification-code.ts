import { randomInt } from 'node:crypto';
import type { Channel } from '../channel.entity.js';
import type { ChannelChanges } from '../channels.repository.js';

const DIGITS = 6;
const LIFETIME_MS = 15 * 60_000;
/** Wrong tries of one person in one chat, and of all operators together. */
const MAX_TRIES_EACH = 5;
/**
 * Wrong tries in all chats together. A few people who guess must not lock out the others, so beyond the first limit those without a wrong
 * try may still try. A hundred people guessing together thus hit one code in 5,000, and any number of people one in 2,000.
 */
const MAX_TRIES = 100;
const MAX_TRIES_OF_NEWCOMERS = 500;

/** `none`: no code is pending, or it has expired. */
export type CodeVerdict = 'right' | 'wrong' | 'locked' | 'none';

/** Who tries a code: a person in a chat, or an operator. */
export interface CodeTrier {
  chatId: string;
  userId: string;
}

/** Earlier wrong tries of one person. */
export interface TriesBefore {
  inChat: number;
  inAllChats: number;
}

export const OPERATOR: CodeTrier = { chatId: '', userId: '' };

/** The result of a try, and what to store of it. */
export interface CodeTry {
  verdict: CodeVerdict;
  changes: ChannelChanges;
}

type CodeState = Pick<Channel, 'code_digest' | 'code_expires_at' | 'code_tries'>;

/** Six digits, unguessable within the allowed tries. */
export function newVerificationCode(): string {
  return String(randomInt(10 ** DIGITS)).padStart(DIGITS, '0');
}

export function isCodeShaped(text: string): boolean {
  return /^\d{6}$/.test(text);
}

/** Replaces any earlier code with one of this digest. */
export function awaitCode(digest: string, nowMs: number): CodeState & { code_expires_at: number } {
  return { code_digest: digest, code_expires_at: nowMs + LIFETIME_MS, code_tries: 0 };
}

export function isCodePending({ code_digest, code_expires_at }: CodeState, nowMs: number): boolean {
  return code_digest !== null && nowMs < Number(code_expires_at);
}

/**
 * One try at the code of a locked channel.
 * @param before earlier wrong tries by the same person
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

/** Strangers' tries never lock operators out. */
function isLocked({ code_tries }: CodeState, { inChat, inAllChats }: TriesBefore, by: CodeTrier): boolean {
  if (inChat >= MAX_TRIES_EACH) return true;
  if (by === OPERATOR) return false;
  return code_tries >= (inAllChats === 0 ? MAX_TRIES_OF_NEWCOMERS : MAX_TRIES);
}
