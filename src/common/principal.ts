import { invalidField } from './domain-error.js';

/** What a token may be used for. `admin` includes the others. */
export const SCOPES = ['runner', 'approver', 'reader', 'metrics', 'admin'] as const;

export type Scope = (typeof SCOPES)[number];

/** The run that a token is for: its holder reports for it and the runs below it, and for nothing else. */
export interface RunOfToken {
  readonly threadId: string;
  readonly traceId: string;
  /** What the holder sends without a fence has this one. */
  readonly fence: number;
}

/** Scopes of the people who use the console, each with what those before it may do. */
export const SESSION_SCOPES = ['reader', 'approver', 'admin'] as const;

export type SessionScope = (typeof SESSION_SCOPES)[number];

/** Who sends a request. */
export interface Principal {
  readonly scope: Scope;
  /** Id of the token; null for the machine secret. */
  readonly tokenId: string | null;
  /** The token that created it, and with which it ends; absent if no token did. */
  readonly parentTokenId?: string;
  /** The only agents that the caller may speak for; null means any. */
  readonly agentIds: readonly string[] | null;
  /** The only run, with those below it, that the caller may report for; null means any. */
  readonly run: RunOfToken | null;
  /** For people to read: the token's name, "machine secret", or in a session of the console the name of the person. */
  readonly name: string;
  /** The session of the console that the request belongs to; absent for bearer tokens. */
  readonly sessionId?: string;
}

/** Whether the caller may do nothing more once this token or session is revoked. */
export function endsWith({ tokenId, parentTokenId, sessionId }: Principal, revokedId: string): boolean {
  return [tokenId, parentTokenId, sessionId].includes(revokedId);
}

/** Whether the caller has one of these scopes. In the console, approvers also read, because they must see what they decide about. */
export function hasOneOf(scopes: readonly Scope[], { scope, sessionId }: Principal): boolean {
  if (scope === 'admin' || scopes.includes(scope)) return true;
  return sessionId !== undefined && scope === 'approver' && scopes.includes('reader');
}

/** What the records say of decisions by a standing rule; its id follows. */
export const RULE_DECIDER = 'rule:';

/** Whether people could take this name of a person for a rule. */
export function looksLikeRule(name: string): boolean {
  return /^rule\s*:/i.test(asRead(name));
}

/** Through what the records say that something was decided, where it was not with a token. */
const WAYS_WITHOUT_TOKEN = ['console', 'channel', 'default', 'expiry', 'rule'];

/** Whether people or programs could take this name of a token for a way to decide without one. */
export function looksLikeOtherWay(name: string): boolean {
  return WAYS_WITHOUT_TOKEN.includes(asRead(name).toLowerCase());
}

function asRead(name: string): string {
  return name
    .normalize('NFKC')
    .replaceAll(/[\p{C}\p{Default_Ignorable_Code_Point}]/gu, '')
    .trim();
}

/** Who decided, and through what, for the record. */
export interface Decider {
  by: string | null;
  through: string;
}

/**
 * In a console session, the signed-in person; with a bearer token, whoever the request names.
 * @param said what the request says, null if nothing
 * @throws DomainError `invalid` for another name than the session's, and for one that looks like a rule's
 */
export function deciderOf({ name, sessionId }: Pick<Principal, 'name' | 'sessionId'>, said: string | null): Decider {
  if (looksLikeRule(said ?? '')) throw invalidField('decided_by', `must not begin with ${RULE_DECIDER}`);
  // Tokens may be older than the rule that none has such a name.
  if (sessionId === undefined) return { by: said, through: looksLikeOtherWay(name) ? `token ${name}` : name };
  if (said !== null && said !== name) throw invalidField('decided_by', 'must be the name of the session, or absent');
  return { by: name, through: 'console' };
}
