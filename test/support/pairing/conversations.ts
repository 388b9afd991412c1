import * as fc from 'fast-check';
import type { JsonObject } from './faults.js';
import type { ProviderShape } from './provider-shapes.js';
import type { SpokenCall, Step } from './steps.js';

const word: fc.Arbitrary<string> = fc.constantFrom('Paris', 'refund', 'four', 'üñï', '"quoted"', 'a\nb');

/** Conversations that a provider accepts, with up to three calls at once. */
export const conversations: fc.Arbitrary<Step[]> = fc
  .array(
    fc.oneof(
      word.map((user) => [{ user }]),
      round(),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((rounds) => [{ user: 'Begin' }, ...rounds.flatMap(withIds)]);

/** The model's text with its calls, their results, and its reply to them. */
function round(): fc.Arbitrary<Step[]> {
  const call = fc.record({
    id: fc.constant(''),
    name: fc.constantFrom('refund', 'search', 'book'),
    args: fc.record({ order: fc.nat(3), note: word }),
    result: word,
  });
  const model = fc.option(word, { nil: null });
  const calls = fc.array(call, { minLength: 1, maxLength: 3 });
  return fc.tuple(model, calls).map(([text, made]) => roundOf(text, made));
}

function roundOf(model: string | null, calls: readonly SpokenCall[]): Step[] {
  const isRich = model !== null;
  return [
    { model, calls, isThought: isRich },
    { results: calls, isGoingOn: isRich },
    { model: 'Done.', calls: [], isSearched: true },
  ];
}

function withIds(steps: readonly Step[], index: number): Step[] {
  const named = (calls: readonly SpokenCall[]) => calls.map((call, i) => ({ ...call, id: `call_${index}_${i}` }));
  return steps.map((step, i) => {
    if ('results' in step) return { ...step, results: named(step.results) };
    return 'calls' in step ? { ...step, calls: named(step.calls), id: `step_${index}_${i}` } : step;
  });
}

/** A fault left in a history by a crash, trimming or a careless program. */
export type Breakage =
  | { kind: 'cut' | 'drop' | 'double' | 'swap' | 'behead'; at: number }
  | { kind: 'drop_part' | 'double_part' | 'turn_parts' | 'spoil'; at: number; part: number };

export const breakages: fc.Arbitrary<Breakage[]> = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constantFrom('cut', 'drop', 'double', 'swap', 'behead'), at: fc.nat(40) }),
    fc.record({
      kind: fc.constantFrom('drop_part', 'double_part', 'turn_parts', 'spoil'),
      at: fc.nat(40),
      part: fc.nat(4),
    }),
  ),
  { maxLength: 4 },
);

export function broken(
  { spoils }: Pick<ProviderShape, 'spoils'>,
  messages: readonly JsonObject[],
  faults: readonly Breakage[],
): JsonObject[] {
  return faults.reduce(
    (history, fault) => (history.length > 1 ? withFault(history, fault, spoils) : history),
    [...messages],
  );
}

function withFault(history: JsonObject[], fault: Breakage, spoils: ProviderShape['spoils']): JsonObject[] {
  const at = fault.at % history.length;
  const message = history[at]!;
  switch (fault.kind) {
    case 'cut':
      return history.slice(0, at + 1);
    case 'behead':
      return history.slice(at);
    case 'drop':
      return history.toSpliced(at, 1);
    case 'double':
      return history.toSpliced(at, 0, message);
    case 'swap':
      return history.toSpliced(at, 2, ...history.slice(at, at + 2).toReversed());
    case 'spoil':
      return history.with(at, spoils.length === 0 ? message : spoils[fault.part % spoils.length]!(message));
    default:
      return history.with(at, withPartFault(message, fault));
  }
}

/** Parts are a message's blocks or calls. */
function withPartFault(message: JsonObject, { kind, part }: Breakage & { part: number }): JsonObject {
  const name = ['tool_calls', 'content', 'parts'].find((member) => Array.isArray(message[member]));
  if (name === undefined) return message;
  const parts = message[name] as unknown[];
  if (parts.length === 0) return message;
  const at = part % parts.length;
  if (kind === 'turn_parts') return { ...message, [name]: parts.toReversed() };
  if (kind === 'double_part') return { ...message, [name]: parts.toSpliced(at, 0, parts[at]) };
  return parts.length === 1 ? message : { ...message, [name]: parts.toSpliced(at, 1) };
}
