import * as fc from 'fast-check';
import type { RunKnowledge } from '../../src/modules/runners/resume/call-outcomes.js';
import { ModelHistory } from '../../src/modules/runners/resume/model-history.js';
import {
  breakages,
  broken,
  conversations,
  PROVIDER_SHAPES,
  type ProviderShape,
} from '../support/pairing/conversations.js';
import type { JsonObject } from '../support/pairing/faults.js';
import { openAiChatFaults } from '../support/pairing/openai-chat.js';
import { recordedRuns } from '../support/replay-source.js';

const NOTHING: RunKnowledge = { claims: [], effects: [], asked: [] };

describe.each(PROVIDER_SHAPES)('A history for the model, in the shape of $name', ({ write, faultsOf }) => {
  it('is the reported one, byte for byte, where the provider accepts that', () => {
    fc.assert(
      fc.property(conversations, (pieces) => {
        const history = buffersOf(write(pieces));
        expect(faultsOf(parsed(history))).toEqual([]);
        const { messages, repairs } = new ModelHistory(history).repaired(NOTHING);
        expect(repairs).toEqual([]);
        expect(messages.every((message, i) => message === history[i])).toBe(true);
      }),
    );
  });

  it('is accepted by a strict provider, whatever was cut off, dropped, doubled or turned around', () => {
    fc.assert(
      fc.property(conversations, breakages, (pieces, faults) => {
        const history = buffersOf(broken(write(pieces), faults));
        expectAccepted(history, faultsOf);
      }),
      { numRuns: 300 },
    );
  });

  it('needs no repair a second time, and leaves what it does not repair as it is', () => {
    fc.assert(
      fc.property(conversations, breakages, (pieces, faults) => {
        const history = buffersOf(broken(write(pieces), faults));
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
      { numRuns: 200 },
    );
  });
});

/** All of them where the generated tests get time. */
const EVERY = process.env.WAYSTATION_TEST_SEARCH_SECONDS === undefined ? 5 : 1;

describe('Recorded histories, cut off behind any message', () => {
  // SWE-agent writes results in a way of its own, which OpenAI does not accept.
  const runs = recordedRuns().filter(
    ({ messages }, i) => i % EVERY === 0 && !messages.some((message) => message.includes('"tool_call_ids"')),
  );

  it(`are accepted, and stay as they are where nothing is missing (${runs.length} runs)`, () => {
    for (const { messages } of runs) {
      const history = messages.map((message) => Buffer.from(message));
      for (let length = 1; length <= history.length; length++) {
        const cut = history.slice(0, length);
        const { messages: repaired, repairs } = new ModelHistory(cut).repaired(NOTHING);
        const isWhole = openAiChatFaults(parsed(cut)).length === 0;
        expect(repairs.length === 0).toBe(isWhole);
        expect(openAiChatFaults(parsed(repaired))).toEqual([]);
        expect(repaired.slice(0, length).every((message, i) => message === cut[i])).toBe(true);
      }
    }
  });
});

function expectAccepted(history: readonly Buffer[], faultsOf: ProviderShape['faultsOf']): void {
  const { messages, repairs } = new ModelHistory(history).repaired(NOTHING);
  const isKnown = history.some((one) => /tool_|function|_call/.test(one.toString()));
  if (isKnown) expect({ faults: faultsOf(parsed(messages)), repairs }).toEqual({ faults: [], repairs });
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
