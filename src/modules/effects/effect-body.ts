import { NotCanonicalError } from '../../common/canonical-json.js';
import { DomainError, type FieldFault } from '../../common/domain-error.js';
import { idFault } from '../../common/id-fault.js';
import { visitMembers } from '../../http/body/json-body.js';
import { argsDigestOf } from './args-digest.js';
import { EFFECT_KINDS, type EffectKind } from './effect.entity.js';
import { OUTCOMES, type Outcome } from './effect-rules.js';

/** Bytes of an effect's arguments, result or error. */
export const MAX_OPAQUE_BYTES = 1024 * 1024;
/** Characters of people's texts. */
const MAX_TEXT = 4_000;
/** Bytes of such a text or an id with every character escaped. */
const MAX_SHORT_BYTES = 16 * MAX_TEXT;
const MAX_INTEGER = 2 ** 31 - 1;
const DEFAULT_DOUBT_AFTER_SECONDS = 300;
/** A year. */
const MAX_DOUBT_AFTER_SECONDS = 31_536_000;

const CLAIM_MEMBERS = [
  ...['trace_id', 'agent_id', 'key', 'tool', 'args', 'call_id', 'kind', 'claim_id', 'holder', 'fence'],
  'doubt_after_seconds',
];
const SETTLING_MEMBERS = [
  ...['attempt', 'outcome', 'result', 'result_omitted', 'error', 'reason', 'decided_by', 'claim_id'],
];

export interface EffectClaim {
  traceId: string;
  /** Null for the run's agent. */
  agentId: string | null;
  key: string;
  tool: string;
  kind: EffectKind;
  /** Exact JSON; null for none. */
  args: string | null;
  argsDigest: string;
  callId: string | null;
  claimId: string | null;
  holder: string | null;
  fence: number | null;
  doubtAfterSeconds: number;
}

export interface EffectSettling {
  attempt: number;
  outcome: Outcome;
  /** Exact JSON, otherwise null. */
  result: string | null;
  resultOmitted: boolean;
  /** Exact JSON, otherwise null. */
  error: string | null;
  reason: string | null;
  decidedBy: string | null;
  /** Proves that the holder sends it. */
  claimId: string | null;
}

/**
 * Keeps the arguments as exact text.
 * @throws DomainError `invalid` with every faulty member; `too_large`
 */
export function readClaim(body: Buffer): EffectClaim {
  const members = new Members(body, CLAIM_MEMBERS);
  const claim: EffectClaim = {
    traceId: members.id('trace_id') ?? members.missing('trace_id'),
    agentId: members.id('agent_id'),
    key: members.id('key') ?? members.missing('key'),
    tool: members.id('tool') ?? members.missing('tool'),
    kind: members.oneOf('kind', EFFECT_KINDS) ?? 'write',
    args: members.opaque('args'),
    argsDigest: members.digest('args'),
    callId: members.id('call_id'),
    claimId: members.id('claim_id'),
    holder: members.id('holder'),
    fence: members.integer('fence', 0, Number.MAX_SAFE_INTEGER),
    doubtAfterSeconds:
      members.integer('doubt_after_seconds', 1, MAX_DOUBT_AFTER_SECONDS) ?? DEFAULT_DOUBT_AFTER_SECONDS,
  };
  members.assertFine();
  return claim;
}

/**
 * Keeps result and error as exact text.
 * @throws DomainError `invalid` with every faulty member; `too_large`
 */
export function readSettling(body: Buffer): EffectSettling {
  const members = new Members(body, SETTLING_MEMBERS);
  const settling = settlingIn(members);
  members.assertFine();
  return settling;
}

/** Their faults are in `members.faults`. */
export function settlingIn(members: Members): EffectSettling {
  const settling: EffectSettling = {
    attempt: members.integer('attempt', 1, MAX_INTEGER) ?? 1,
    outcome: members.oneOf('outcome', OUTCOMES) ?? (members.missing('outcome') as Outcome),
    result: members.opaque('result'),
    resultOmitted: members.flag('result_omitted') ?? false,
    error: members.opaque('error'),
    reason: members.text('reason'),
    decidedBy: members.text('decided_by'),
    claimId: members.id('claim_id'),
  };
  if (settling.resultOmitted && settling.result !== null) {
    members.faults.push({ path: 'result_omitted', detail: 'must not be true beside a result' });
  }
  return settling;
}

/** The members of a body as exact text; null counts as absent. Collects faults. */
export class Members {
  readonly faults: FieldFault[] = [];
  private readonly values = new Map<string, Buffer>();

  /** @param known null to accept any member */
  constructor(body: Buffer, known: readonly string[] | null) {
    const seen = new Set<string>();
    visitMembers(body, (name, value) => {
      if (known && !known.includes(name)) this.fault(name, `is not a known field; known are ${known.join(', ')}`);
      else if (seen.has(name)) this.fault(name, 'is given twice');
      else if (value.length !== 4 || value.toString() !== 'null') this.values.set(name, value);
      seen.add(name);
    });
  }

  /** A placeholder for a required member. */
  missing(name: string): string {
    if (!this.faults.some(({ path }) => path === name)) this.fault(name, 'is missing');
    return '';
  }

  id(name: string): string | null {
    const value = this.string(name);
    const fault = value === null ? null : idFault(value);
    return fault === null ? value : this.fault(name, fault);
  }

  text(name: string): string | null {
    const value = this.string(name);
    if (value === null) return null;
    const isFine = value.length <= MAX_TEXT && !value.includes('\0') && value.isWellFormed();
    return isFine ? value : this.fault(name, `must be at most ${MAX_TEXT} characters, none of them U+0000`);
  }

  integer(name: string, from: number, to: number): number | null {
    const value = this.parsed(name);
    if (value === null) return null;
    const isFine = Number.isInteger(value) && (value as number) >= from && (value as number) <= to;
    return isFine ? (value as number) : this.fault(name, `must be an integer from ${from} to ${to}`);
  }

  flag(name: string): boolean | null {
    const value = this.parsed(name);
    if (value === null || typeof value === 'boolean') return value;
    return this.fault(name, 'must be true or false');
  }

  oneOf<T extends string>(name: string, all: readonly T[]): T | null {
    const value = this.parsed(name);
    const found = all.find((one) => one === value);
    if (value === null || found !== undefined) return found ?? null;
    return this.fault(name, `must be one of ${all.join(', ')}`);
  }

  /** Exact JSON. */
  opaque(name: string): string | null {
    const value = this.values.get(name);
    if (value === undefined) return null;
    if (value.length > MAX_OPAQUE_BYTES) throw tooLarge(name);
    return value.toString();
  }

  /** Digest of the canonical form; absent JSON has its own. */
  digest(name: string): string {
    try {
      return argsDigestOf(this.values.get(name) ?? null, name);
    } catch (error) {
      if (!(error instanceof NotCanonicalError)) throw error;
      this.fault(error.path, error.detail);
      return '';
    }
  }

  /** @throws DomainError `invalid` with every faulty member */
  assertFine(): void {
    const [first] = this.faults;
    if (!first) return;
    const { faults: errors } = this;
    throw new DomainError('invalid', 'invalid_request', `${first.path}: ${first.detail}`, { errors });
  }

  private string(name: string): string | null {
    const value = this.parsed(name);
    return value === null || typeof value === 'string' ? value : this.fault(name, 'must be a string');
  }

  private parsed(name: string): unknown {
    const value = this.values.get(name);
    if (value === undefined) return null;
    // Longer values cannot be valid here and could take much memory.
    return value.length > MAX_SHORT_BYTES ? [] : (JSON.parse(value.toString()) as unknown);
  }

  private fault(path: string, detail: string): null {
    this.faults.push({ path, detail });
    return null;
  }
}

function tooLarge(name: string): DomainError {
  const options = { errors: [{ path: name, detail: `must be at most ${MAX_OPAQUE_BYTES} bytes` }] };
  const hint = name === 'result' ? ' Settle without it, with result_omitted.' : '';
  const message = `${name}: must be at most ${MAX_OPAQUE_BYTES} bytes.${hint}`;
  return new DomainError('too_large', 'effect_too_large', message, options);
}
