import { useSyncExternalStore } from 'react';
import { randomKey } from '../lib/random-key.js';
import { exchange, headersOf, signOff, whoHas, type Session, type SigningIn, type Verdict } from './session-calls.js';
import { Siblings } from './siblings.js';

export type { Session } from './session-calls.js';

/** Why nobody is signed in. */
export type SignedOut = 'nobody' | 'ended' | 'signed-out' | 'wrong-code' | 'too-many-codes' | 'refused' | 'unreachable';

export type SessionState =
  | { at: 'starting' }
  /** `session` is null if requests carry a bearer token instead. */
  | { at: 'in'; session: Session | null }
  | { at: 'out'; why: SignedOut; detail: string };

/** The name in sessionStorage, which, unlike the cookie, other ports of this machine do not see. */
const STORED = 'waystation-session';
/** The same, from using a code until the server has responded: a reload in between must not lose the session. */
const SIGNING_IN = 'waystation-signing-in';
const RETRY_MS = 2_000;

let state: SessionState = { at: 'starting' };
let key: string | null = null;
/** The check of this tab's session that is in progress. */
let looking: Promise<void> | null = null;
let siblings: Siblings;
const listeners = new Set<() => void>();

/** Takes the code out of the address before anything else reads it, and finds out who is signed in. Call this once, first. */
export function beginSession(): void {
  siblings = new Siblings({
    keyToGive,
    onChanged: () => void lookAgain('ended'),
    onLateKey: (given) => void signInLate(given),
  });
  restore();
  // Pasting a link that differs only in its fragment loads no page.
  addEventListener('hashchange', () => void takeCode());
  if (!takeCode()) void lookAgain(key === null ? 'nobody' : 'ended');
}

/** Headers that identify this tab's session to the server. */
export function sessionHeaders(): Record<string, string> {
  return headersOf(key);
}

/** The server refused this session: it has ended, or another tab has begun a new one. */
export function reportRefused(): void {
  if (state.at === 'in') void lookAgain('ended');
}

/** Ends the session, in all tabs. */
export async function signOut(): Promise<void> {
  if (key !== null) await signOff(key);
  change({ at: 'out', why: 'signed-out', detail: '' });
  siblings.tellChanged();
}

export function sessionState(): SessionState {
  return state;
}

export function onSessionChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Whether this session may change more than approvals. Without a session, a bearer token decides, and the server refuses by itself. */
export function mayManage(now: SessionState): boolean {
  return now.at !== 'in' || now.session === null || now.session.scope === 'admin';
}

export function useSession(): SessionState {
  return useSyncExternalStore(onSessionChange, sessionState);
}

/** Signs in with the code in the address, or with one whose response a reload lost, if there is one. */
function takeCode(): boolean {
  const code = /^#code=([\w-]+)$/.exec(location.hash)?.[1];
  if (code !== undefined) {
    sessionStorage.setItem(SIGNING_IN, JSON.stringify({ code, proof: randomKey() } satisfies SigningIn));
    history.replaceState(history.state, '', location.pathname + location.search);
  }
  const signingIn = stored<SigningIn>(SIGNING_IN);
  if (signingIn !== null) void signIn(signingIn);
  return signingIn !== null;
}

async function signIn(signingIn: SigningIn): Promise<void> {
  const verdict = await exchange(signingIn);
  if (!isAway(verdict) && stored<SigningIn>(SIGNING_IN)?.code === signingIn.code) sessionStorage.removeItem(SIGNING_IN);
  if (settle(verdict)) return siblings.tellChanged();
  // A link that was used before must not end an existing session.
  if (verdict.is === 'out' && verdict.status === 401 && key !== null && settle(await whoHas(key))) return;
  if (isAway(verdict)) {
    change({ at: 'out', why: 'unreachable', detail: '' });
    setTimeout(() => void signIn(signingIn), RETRY_MS);
  } else refuse(verdict, verdict.is === 'out' && verdict.status === 429 ? 'too-many-codes' : 'wrong-code');
}

/** Allows one check at a time. @param why shown if nobody is signed in */
function lookAgain(why: SignedOut): Promise<void> {
  looking ??= look(why).finally(() => (looking = null));
  return looking;
}

/** Tries this tab's key, then another tab's, then none. */
async function look(why: SignedOut): Promise<void> {
  let verdict = await whoHas(key);
  if (settle(verdict)) return;
  if (!isAway(verdict)) {
    const given = await siblings.ask();
    if (given !== null && settle((verdict = await whoHas(given)))) return;
    if (!isAway(verdict)) return refuse(verdict, state.at === 'out' && state.why !== 'unreachable' ? state.why : why);
  }
  if (state.at !== 'in') change({ at: 'out', why: 'unreachable', detail: '' });
  setTimeout(() => void lookAgain(why), RETRY_MS);
}

async function signInLate(given: string): Promise<void> {
  if (state.at === 'out') settle(await whoHas(given));
}

/** The key, only if the server has just confirmed it: if another program has taken over its port, nothing is given away. */
async function keyToGive(): Promise<string | null> {
  if (state.at !== 'in' || key === null) return null;
  const own = key;
  return (await whoHas(own)).is === 'in' ? own : null;
}

/** @returns whether somebody is signed in */
function settle(verdict: Verdict): boolean {
  if (verdict.is === 'out') return false;
  key = verdict.key;
  change({ at: 'in', session: verdict.session });
  return true;
}

/** Not signed in, or refused because of the request's origin: then the server's text says why. */
function refuse(verdict: Verdict, why: SignedOut): void {
  const isForeign = verdict.is === 'out' && verdict.status !== 401 && verdict.status !== 429;
  change({ at: 'out', why: isForeign ? 'refused' : why, detail: verdict.is === 'out' ? verdict.detail : '' });
}

function isAway(verdict: Verdict): boolean {
  return verdict.is === 'out' && (verdict.status === 0 || verdict.status >= 500);
}

function change(next: SessionState): void {
  if (next.at === 'out' && next.why !== 'unreachable') key = null;
  if (next.at === 'in' && state.at === 'in' && next.session?.id === state.session?.id) return store(next);
  state = next;
  store(next);
  for (const listener of listeners) listener();
}

function store(next: SessionState): void {
  if (next.at === 'in' && key !== null) sessionStorage.setItem(STORED, JSON.stringify({ key, session: next.session }));
  else if (key === null) sessionStorage.removeItem(STORED);
}

/** After a reload, the page continues at once; the check that follows finds out whether it may. */
function restore(): void {
  const found = stored<{ key: string; session: Session }>(STORED);
  if (found === null) return;
  key = found.key;
  state = { at: 'in', session: found.session };
}

function stored<Value>(name: string): Value | null {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null') as Value | null;
  } catch {
    sessionStorage.removeItem(name);
    return null;
  }
}
