import * as fc from 'fast-check';
import type { RunKnowledge } from '../../src/modules/runners/resume/call-outcomes.js';
import { ModelHistory } from '../../src/modules/runners/resume/model-history.js';
import { breakages, broken, conversations } from '../support/pairing/conversations.js';
import type { JsonObject } from '../support/pairing/faults.js';
import { FOREIGN_SHAPES, PROVIDER_SHAPES, type ProviderShape } from '../support/pairing/provider-shapes.js';
import { stepsOf } from '../support/pairing/steps.js';
import { recordedRuns } from '../support/replay-source.js';
import { searchMs } from '../support/search-seconds.js';

const NOTHING: RunKnowledge = { claims: [], effects: [], asked: [] };

/** A hunt with another seed goes on as long as it may; usually a part of the cases is enough. */
const LONG = process.env.WAYSTATION_TEST_SEARCH_SECONDS !== undefined;
const NUM_RUNS = LONG ? 20_000 : 100;
const BOUNDS = LONG ? { numRuns: NUM_RUNS, interruptAfterTimeLimit: searchMs(1) } : { numRuns: NUM_RUNS };

describe.each(PROVIDER_SHAPES)('A history for the model, in the shape of $name', (shape) => {
  const { write, faultsOf } = shape;

  it('is the reported one, byte for byte, where the provider accepts that', () => {
    fc.assert(
      fc.property(conversations, (steps) => {
        const history = buffersOf(write(steps));
        expect(faultsOf(parsed(history))).toEqual([]);
        expectSame(history);
      }),
      BOUNDS,
    );
  });

  it('is accepted by a strict provider, whatever was cut off, dropped, doubled, turned around or emptied', () => {
    fc.assert(
      fc.property(conversations, breakages, fc.nat(30), (steps, faults, cut) => {
        const written = write(steps.slice(0, 1 + (cut % steps.length)));
        const history = buffersOf(broken(shape, written, faults));
        const { messages, repairs } = new ModelHistory(history).repaired(NOTHING);
        const found = messages.length === 0 ? [] : faultsOf(parsed(messages));
        expect({ found, repairs, history: parsed(history) }).toMatchObject({ found: [] });
      }),
      LONG ? BOUNDS : { numRuns: 2 * NUM_RUNS },
    );
  });

  it('needs no repair a second time, and leaves what it does not repair as it is', () => {
    fc.assert(
      fc.property(conversations, breakages, (steps, faults) => {
        const history = buffersOf(broken(shape, write(steps), faults));
        const { messages, repairs } = new ModelHistory(history).repaired(NOTHING);
        expect(new ModelHistory(messages).repaired(NOTHING)).toEqual({ messages, repairs: [] });
        const reported = new Set(history);
        const changed = messages.filter((message) => !reported.has(message));
        expect(changed.length).toBeLessThanOrEqual(2 * repairs.length);
        if (repairs.length === 0) expect(messages).toEqual(history);
        else
          expect({ faults: faultsOf(parsed(history)), history: parsed(history), repairs }).not.toMatchObject({
            faults: [],
          });
      }),
      BOUNDS,
    );
  });
});

describe.each(PROVIDER_SHAPES)('A history of many open calls, in the shape of $name', ({ write }) => {
  it('is repaired in time in proportion to them, in one message or in many', () => {
    const call = (i: number) => ({ id: `call_${i}`, name: 'refund', args: { order: i }, result: '' });
    const calls = (count: number) => Array.from({ length: count }, (_, i) => call(i));
    const inOne = (count: number) => [{ user: 'Begin' }, { model: null, calls: calls(count) }];
    const inMany = (count: number) => calls(count).flatMap((one) => [{ user: 'Next' }, { model: null, calls: [one] }]);
    for (const stepsOfMany of [inOne, inMany]) {
      const [few, many] = [1_000, 4_000].map((count) => cpuMsOf(buffersOf(write(stepsOfMany(count)))));
      // Four times as many, and sixteen times the work if it grew with the square.
      expect(many).toBeLessThan(10 * few! + 100);
    }
  });
});

function cpuMsOf(history: readonly Buffer[]): number {
  const began = process.cpuUsage();
  expect(new ModelHistory(history).repaired(NOTHING).repairs).not.toEqual([]);
  const { user, system } = process.cpuUsage(began);
  return (user + system) / 1000;
}

describe.each(FOREIGN_SHAPES)('A history in the shape of $name', ({ write, faultsOf }) => {
  it('is given back as it is, which is said', () => {
    fc.assert(
      fc.property(conversations, fc.nat(30), (steps, cut) => {
        expect(faultsOf(write(steps))).toEqual([]);
        expectNotUnderstood(buffersOf(write(steps.slice(0, 1 + (cut % steps.length)))));
      }),
      BOUNDS,
    );
  });
});

describe('A history of two shapes', () => {
  const pairs = PROVIDER_SHAPES.flatMap((one) =>
    [...PROVIDER_SHAPES, ...FOREIGN_SHAPES].flatMap((other) =>
      familyOf(one) === familyOf(other) ? [] : [[one, other] as const],
    ),
  );

  it('is given back as it is, which is said, wherever the other begins', () => {
    const steps = fc.sample(conversations, { numRuns: 1, seed: 7 })[0]!;
    const call = { id: 'c9', name: 'refund', args: {}, result: 'paid' };
    const round = [{ model: null, calls: [call] }, { results: [call] }];
    for (const [one, other] of pairs) {
      const history = buffersOf([...one.write([...steps, ...round]), ...other.write(round)]);
      expectNotUnderstood(history);
    }
  });
});

/** Shapes with the same kinds of messages. */
function familyOf({ name }: ProviderShape): string {
  return name.replace(/ with ids| \(.*| of version 4/, '');
}

const EVERY = LONG ? 1 : 5;

describe('Recorded histories, cut off behind any message', () => {
  const runs = recordedRuns().filter((_, i) => i % EVERY === 0);

  it.each([...PROVIDER_SHAPES, ...FOREIGN_SHAPES])(
    `are accepted in the shape of $name, and stay as they are where nothing is missing (${runs.length} runs)`,
    (shape) => {
      for (const { messages } of runs) {
        const steps = stepsOf(messages.map((message) => JSON.parse(message) as JsonObject));
        const whole = buffersOf(shape.write(steps));
        for (let length = 1; length <= steps.length; length++) {
          const cut = buffersOf(shape.write(steps.slice(0, length)));
          // Messages that are in both keep their parsed value.
          expectGoneOn(
            cut.map((message, i) => (whole[i]?.equals(message) ? whole[i] : message)),
            shape,
          );
        }
      }
    },
  );
});

function expectGoneOn(history: readonly Buffer[], { faultsOf, name }: ProviderShape): void {
  if (history.length === 0) return;
  if (FOREIGN_SHAPES.some((foreign) => foreign.name === name)) return expectNotUnderstood(history);
  if (faultsOf(parsed(history)).length === 0) return expectSame(history);
  const { messages, repairs } = new ModelHistory(history).repaired(NOTHING);
  expect(repairs).not.toEqual([]);
  expect(faultsOf(parsed(messages))).toEqual([]);
  expect(messages.slice(0, history.length - 1).every((message, i) => message === history[i])).toBe(true);
}

function expectSame(history: readonly Buffer[]): void {
  const { messages, repairs } = new ModelHistory(history).repaired(NOTHING);
  expect(repairs).toEqual([]);
  expect(messages.length).toBe(history.length);
  expect(messages.every((message, i) => message === history[i])).toBe(true);
}

function expectNotUnderstood(history: readonly Buffer[]): void {
  const { messages, repairs } = new ModelHistory(history).repaired(NOTHING);
  expect({ repairs, history: parsed(history) }).toMatchObject({ repairs: [{ kind: 'not_understood', call_id: null }] });
  expect(messages).toBe(history);
}

function buffersOf(messages: readonly JsonObject[]): Buffer[] {
  return messages.map((message) => Buffer.from(JSON.stringify(message)));
}

/** Each message once, however many histories it is in. */
const values = new WeakMap<Buffer, JsonObject>();

function parsed(messages: readonly Buffer[]): JsonObject[] {
  return messages.map((message) => {
    const value = values.get(message) ?? (JSON.parse(message.toString()) as JsonObject);
    values.set(message, value);
    return value;
  });
}
