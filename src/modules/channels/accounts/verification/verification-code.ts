import { randomInt } from 'node:crypto';
import type { Channel } from '../channel.entity.js';
import type { ChannelChanges } from '../channels.repository.js';

const DIGITS = 6;
const LIFETIME_MS = 15 * 60_000;
/** Wrong tries of one person in one chat, and of all operators together. */
const MAX_TRIES_EACH = 5;
/** Of everybody: a guess of six digits hits once in ten thousand codes. */
const MAX_TRIES = 100;

/** `none`: no code is pending, or it has expired. */
export type CodeVerdict = 'right' | 'wrong' | 'locked' | 'none';

/** Who tries a code: somebody in a chat, or an operator. */
export interface CodeTrier {
  chatId: string;
  userId: string;
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
export function isCodePending(state: CodeState, nowMs: number): boolean {
  const { code_digest, code_expires_at, code_tries } = state;
  return code_digest !== null && code_tries < MAX_TRIES && nowMs < Number(code_expires_at);
}

/**
 * One try at the code of a locked channel.
 * @param triesBefore wrong ones by the same
 */
export function tryCode(
  state: CodeState,
  { isRight, triesBefore, by }: { isRight: boolean; triesBefore: number; by: CodeTrier },
  nowMs: number,
): CodeTry {
  const isLocked = state.code_tries >= MAX_TRIES || triesBefore >= MAX_TRIES_EACH;
  if (state.code_digest !== null && isLocked) return { verdict: 'locked', changes: {} };
  if (!isCodePending(state, nowMs)) return { verdict: 'none', changes: {} };
  if (!isRight) return { verdict: 'wrong', changes: { code_tries: state.code_tries + 1 } };
  const used = { code_digest: null, code_expires_at: null, code_tries: 0 };
  const verifiedBy = by === OPERATOR ? null : by.userId;
  return { verdict: 'right', changes: { ...used, verified: true, verified_by: verifiedBy, updated_at: nowMs } };
}
