import type { Answers } from '../../../common/contract/questions.js';
import { parseExactJson } from '../../../common/exact-json.js';
import { objectOf } from '../../../common/json-fields.js';

export interface KnownEffect {
  key: string;
  tool: string;
  /** Exact JSON; null for none. */
  args: string | null;
  call_id: string | null;
  /** How often it was claimed. */
  attempt: number;
  state: 'started' | 'completed' | 'failed' | 'not_done';
  in_doubt: boolean;
  /** Exact JSON. */
  result: string | null;
  /** Exact JSON. */
  error: string | null;
  reason: string | null;
  /** Arguments, result and error are missing, because they are too long together. */
  areTextsLeftOut?: boolean;
}

/** A claim by the agent in the thread. */
export interface KnownClaim extends Pick<KnownEffect, 'tool' | 'call_id' | 'attempt'> {
  /** True if this run made it, false for another run of the agent. */
  isOfRun: boolean;
}

/** A tool call that a person was asked about; a call's newest question counts. */
export interface AskedCall {
  call_id: string;
  state: 'pending' | 'approved' | 'rejected' | 'expired';
  /** Keyed by question text; absent if the call was not answered. */
  answers?: Answers;
}

/** What is known besides the history. */
export interface RunKnowledge {
  /** All claims of the agent in this thread; empty if not all are known. */
  claims: readonly KnownClaim[];
  /** The agent's effects in this thread, oldest first: those whose call may lack a result. */
  effects: readonly KnownEffect[];
  asked: readonly AskedCall[];
}

export interface CalledTool {
  id: string | null;
  name: string | null;
  /** Exact JSON, unwrapped from a JSON string; null if unknown. */
  args: Buffer | null;
}

export interface CallOutcome {
  /** For people: where the result comes from. */
  detail: string;
  text: string;
  /** The text as exact JSON. */
  json: string;
  isError: boolean;
  /** Whether the ledger knows how the call ended. */
  isSettled: boolean;
}

/** The start of every sentence that a repair writes in place of a result, by which later repairs recognise it. */
export const MARK = '[Waystation] ';

const SENTENCES = {
  completed: 'This call was completed. Its result was not kept.',
  completedElsewhere: 'This call was completed. Its result is kept with the effect.',
  failed: 'This call failed.',
  notDone: 'This call had no effect.',
  inDoubt:
    'This call is in doubt: it was started, and it is not known whether it took effect. Do not repeat it before that is settled.',
  started: 'This call was started and not finished: it is not known whether it took effect.',
  pending: 'This call waits for the decision of a person.',
  approved: 'A person approved this call. It is not known whether it ran.',
  answered: 'This call was answered:',
  rejected: 'A person rejected this call.',
  expired: 'Nobody decided on this call in time, so it was not approved.',
  notStarted: 'This call was not started.',
  unknown: 'The run was interrupted. It is not known whether this call ran.',
} as const;

/** Determines the outcomes of a history's calls without a result. */
export class CallOutcomes {
  private readonly ids = new Map<string, number>();
  /** Number of calls per tool and arguments. */
  private readonly likes = new Map<string, number>();
  private readonly effectsById = new Map<string, KnownEffect[]>();
  private readonly effectsLike = new Map<string, KnownEffect[]>();
  private readonly effectsWithoutCall = new Map<string, readonly KnownEffect[]>();
  private readonly asked: ReadonlyMap<string, AskedCall>;
  private readonly isEveryCallNamed: boolean;
  private readonly claimedIds: ReadonlySet<string | null>;
  /** Tools that the run claims. It need not claim others, such as tools that only read or call a sub-agent. */
  private readonly claimedTools: ReadonlySet<string>;
  private readonly toolsClaimedAgain: ReadonlySet<string>;

  constructor({ claims, effects, asked }: RunKnowledge) {
    for (const effect of effects) {
      if (effect.call_id !== null) addTo(this.effectsById, effect.call_id, effect);
      addTo(this.effectsLike, likenessOf(effect), effect);
    }
    this.asked = new Map(asked.map((one) => [one.call_id, one]));
    const own = claims.filter(({ isOfRun }) => isOfRun);
    this.isEveryCallNamed = own.every(({ call_id }) => call_id !== null);
    this.claimedIds = new Set(claims.map(({ call_id }) => call_id));
    this.claimedTools = new Set(own.map(({ tool }) => tool));
    this.toolsClaimedAgain = new Set(claims.filter(({ attempt }) => attempt > 1).map(({ tool }) => tool));
  }

  /** Call this for every call of the history before any query. */
  register(call: CalledTool): void {
    if (call.id !== null) this.ids.set(call.id, (this.ids.get(call.id) ?? 0) + 1);
    if (this.effectsLike.size === 0) return;
    const likeness = likenessOf(asEffect(call));
    this.likes.set(likeness, (this.likes.get(likeness) ?? 0) + 1);
  }

  /** Whether the history has the effect's call; for an effect without a call id, one with the same tool and arguments. */
  isInHistory(effect: KnownEffect): boolean {
    return effect.call_id === null ? this.likes.has(likenessOf(effect)) : this.ids.has(effect.call_id);
  }

  of(call: CalledTool): CallOutcome {
    const effect = this.effectOf(call);
    if (effect) return outcomeOf(effect);
    const asked = call.id === null ? undefined : this.asked.get(call.id);
    if (asked) return askedOutcome(asked);
    if (this.isNeverClaimed(call)) {
      return said(SENTENCES.notStarted, 'The run claims calls of this tool, and has not claimed this one.');
    }
    return said(SENTENCES.unknown, 'Nothing is known of the call.');
  }

  /** The call's own effect; otherwise an unsettled one that the same call would meet if it were made again. */
  private effectOf(call: CalledTool): KnownEffect | undefined {
    if (this.effectsLike.size === 0) return undefined;
    const likeness = likenessOf(asEffect(call));
    const named = (call.id === null ? undefined : this.effectsById.get(call.id)) ?? [];
    // Some agents number their calls from 0 in every turn: an effect with the id may belong to another call.
    const isRepeated = call.id !== null && this.ids.get(call.id)! > 1;
    const own = isRepeated ? named.findLast((effect) => likenessOf(effect) === likeness) : named.at(-1);
    if (own) return own;
    const alike = this.withoutCall(likeness);
    const open = alike.findLast(({ state }) => state === 'started');
    // Without ids, a settled effect may belong to an earlier call unless there is only one of each.
    const isOnly = call.id === null && alike.length === 1 && this.likes.get(likeness) === 1;
    return open ?? (isOnly ? alike[0] : undefined);
  }

  /** Effects of a tool and its arguments whose call, if named, is not in the history. */
  private withoutCall(likeness: string): readonly KnownEffect[] {
    const known = this.effectsWithoutCall.get(likeness);
    if (known) return known;
    const found = (this.effectsLike.get(likeness) ?? []).filter(
      ({ call_id }) => call_id === null || !this.ids.has(call_id),
    );
    this.effectsWithoutCall.set(likeness, found);
    return found;
  }

  /** A claim without a call id may belong to any call; a repeated claim may have been this call's before. */
  private isNeverClaimed({ id, name }: CalledTool): boolean {
    if (id === null || this.ids.get(id)! > 1 || this.claimedIds.has(id)) return false;
    const tool = name ?? '';
    return this.isEveryCallNamed && this.claimedTools.has(tool) && !this.toolsClaimedAgain.has(tool);
  }
}

function askedOutcome({ state, answers }: AskedCall): CallOutcome {
  const detail = `The approval of the call is ${state}.`;
  if (!answers) return said(SENTENCES[state], detail);
  return said(`${SENTENCES.answered} ${JSON.stringify(answers)}`, 'The call was answered.', false);
}

export function outcomeOf(effect: KnownEffect): CallOutcome {
  if (effect.in_doubt) return said(SENTENCES.inDoubt, 'The call is recorded as in doubt.');
  switch (effect.state) {
    case 'started':
      return said(SENTENCES.started, 'The call is recorded as started.');
    case 'completed':
      return settled(effect.result, completedSentence(effect), effect, false);
    case 'failed':
      return settled(effect.error, SENTENCES.failed, effect, true);
    case 'not_done':
      return settled(effect.error, SENTENCES.notDone, effect, true);
  }
}

function completedSentence({ areTextsLeftOut = false }: KnownEffect): string {
  return areTextsLeftOut ? SENTENCES.completedElsewhere : SENTENCES.completed;
}

export function textWithoutMark(text: string): string {
  return text.startsWith(MARK) ? text.slice(MARK.length) : text;
}

/** The text of a JSON string; any other JSON unchanged. */
function textOfJson(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

function settled(json: string | null, sentence: string, { state, reason }: KnownEffect, isError: boolean): CallOutcome {
  const detail = `The call is recorded as ${state}.`;
  if (json === null || json === 'null') {
    return { ...said(reason === null ? sentence : `${sentence} ${reason}`, detail, isError), isSettled: true };
  }
  return { detail, text: textOfJson(json), json, isError, isSettled: true };
}

function said(sentence: string, detail: string, isError = true): CallOutcome {
  const text = MARK + sentence;
  return { detail, text, json: JSON.stringify(text), isError, isSettled: false };
}

/** Equal for calls of one tool with the same arguments in any notation. */
function likenessOf({ tool, args }: Pick<KnownEffect, 'tool' | 'args'>): string {
  const value = args === null ? undefined : parseExactJson(args);
  // Some APIs send the arguments as JSON in a string.
  const inner = typeof value === 'string' ? (parseExactJson(value) ?? value) : value;
  return `${tool} ${JSON.stringify(inner, sorted) ?? ''}`;
}

function asEffect({ name, args }: CalledTool): Pick<KnownEffect, 'tool' | 'args'> {
  return { tool: name ?? '', args: args?.toString() ?? null };
}

function sorted(_: string, value: unknown): unknown {
  const object = objectOf(value);
  return object ? Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1))) : value;
}

function addTo(map: Map<string, KnownEffect[]>, key: string, effect: KnownEffect): void {
  const list = map.get(key);
  if (list) list.push(effect);
  else map.set(key, [effect]);
}
