import { invalidField } from './domain-error.js';

/** What a token permits. `admin` includes the others. */
export const SCOPES = ['runner', 'approver', 'reader', 'metrics', 'admin'] as const;

export type Scope = (typeof SCOPES)[number];

/** The run that a token is bound to: its holder may only report for it and its sub-runs. */
export interface RunOfToken {
  readonly threadId: string;
  readonly traceId: string;
  /** Used for requests of the holder that name no fence. */
  readonly fence: number;
}

/** Scopes of people who use the console; each includes those before it. */
export const SESSION_SCOPES = ['reader', 'approver', 'admin'] as const;

export type SessionScope = (typeof SESSION_SCOPES)[number];

/** Who sends a request. */
export interface Principal {
  readonly scope: Scope;
  /** Id of the token; null for the machine secret. */
  readonly tokenId: string | null;
  /** The token that created it and with which it ends; absent if no token did. */
  readonly parentTokenId?: string;
  /** The only agents that the caller may speak for; null means any. */
  readonly agentIds: readonly string[] | null;
  /** The only run, with its sub-runs, that the caller may report for; null means any. */
  readonly run: RunOfToken | null;
  /** For people: the token's name, "machine secret", or the name of the person signed in to the console. */
  readonly name: string;
  /** The session of the console that the request belongs to; absent for bearer tokens. */
  readonly sessionId?: string;
}

/** Whether the caller loses all permissions when this token or session is revoked. */
export function endsWith({ tokenId, parentTokenId, sessionId }: Principal, revokedId: string): boolean {
  return [tokenId, parentTokenId, sessionId].includes(revokedId);
}

/** Whether the caller has one of these scopes. In the console, approvers also read, because they must see what they decide. */
export function hasOneOf(scopes: readonly Scope[], { scope, sessionId }: Principal): boolean {
  if (scope === 'admin' || scopes.includes(scope)) return true;
  return sessionId !== undefined && scope === 'approver' && scopes.includes('reader');
}

/** Prefix in records of decisions by a standing rule; its id follows. */
export const RULE_DECIDER = 'rule:';

/** Whether this name of a person could be mistaken for a rule. */
export function looksLikeRule(name: string): boolean {
  return /^rule\s*:/i.test(asRead(name));
}

/** Ways to decide without a token, as in records. */
const WAYS_WITHOUT_TOKEN = ['console', 'channel', 'default', 'expiry', 'rule'];

/** Whether a token's name could be mistaken for a way to decide without one. */
export function looksLikeOtherWay(name: string): boolean {
  return WAYS_WITHOUT_TOKEN.includes(asRead(name).toLowerCase());
}

function asRead(name: string): string {
  return name
    .normalize('NFKC')
    .replaceAll(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, '')
    .trim();
}

/** Who decided, and by which token or other way, for the record. */
export interface Decider {
  by: string | null;
  through: string;
}

/**
 * In a console session, the signed-in person; with a bearer token, whoever the request names.
 * @param said the name in the request, null if absent
 * @throws DomainError `invalid` for another name than the session's, and for one that looks like a rule's
 */
export function deciderOf({ name, sessionId }: Pick<Principal, 'name' | 'sessionId'>, said: string | null): Decider {
  if (looksLikeRule(said ?? '')) throw invalidField('decided_by', `must not begin with ${RULE_DECIDER}`);
  // Tokens may predate the check of their names.
  if (sessionId === undefined) return { by: said, through: looksLikeOtherWay(name) ? `token ${name}` : name };
  if (said !== null && said !== name) throw invalidField('decided_by', 'must be the name of the session, or absent');
  return { by: name, through: 'console' };
}
