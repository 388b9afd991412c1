import { knownEffect } from '../../../../../test/factories/known-effects.js';
import { aiSdkUiFaults } from '../../../../../test/support/pairing/ai-sdk-ui.js';
import type { JsonObject } from '../../../../../test/support/pairing/faults.js';
import { langChainFaults } from '../../../../../test/support/pairing/langchain.js';
import type { KnownEffect } from '../call-outcomes.js';
import { ModelHistory } from '../model-history.js';

const UNKNOWN = '[Waystation] The run was interrupted. It is not known whether this call ran.';
const REFUNDED = knownEffect();

function repaired(history: readonly (JsonObject | string)[], effects: KnownEffect[] = []) {
  const texts = history.map((one) => Buffer.from(typeof one === 'string' ? one : JSON.stringify(one)));
  const claims = effects.map((effect) => ({ ...effect, isOfRun: true }));
  const { messages, repairs } = new ModelHistory(texts).repaired({ claims, effects, asked: [] });
  return {
    messages: messages.map((message) => JSON.parse(message.toString()) as JsonObject),
    repairs,
    texts: messages,
  };
}

const kindsOf = (repairs: readonly { kind: string }[]) => repairs.map(({ kind }) => kind);

describe('Messages of LangChain', () => {
  const human = { type: 'human', content: 'Refund it.' };
  const call = { name: 'refund', args: { order: 4711 }, id: 'c1', type: 'tool_call' };
  const tool = { type: 'tool', content: 'paid back', tool_call_id: 'c1', name: 'refund' };

  it('stay as they are where every call has its result', () => {
    const history = [human, { type: 'ai', content: '', tool_calls: [call] }, tool, { type: 'ai', content: 'Done.' }];
    expect(repaired(history, [REFUNDED])).toMatchObject({ messages: history, repairs: [] });
  });

  it.each([
    ['with arguments that were no JSON', { invalid_tool_calls: [{ ...call, args: '{"order":', error: 'no JSON' }] }],
    [
      'as OpenAI gave it',
      { additional_kwargs: { tool_calls: [{ id: 'c1', function: { name: 'refund', arguments: '{"order":4711}' } }] } },
    ],
    ['of a stream', { type: 'AIMessageChunk', tool_calls: [call] }],
  ])('get a result for a call %s', (_, fields) => {
    const { messages } = repaired([human, { type: 'ai', content: '', ...fields }], [REFUNDED]);
    expect(messages.at(-1)).toEqual(tool);
  });

  it('keep their form where they were dumped with their data', () => {
    const history = [
      { type: 'human', data: { content: 'Refund it.', type: 'human' } },
      { type: 'ai', data: { content: '', tool_calls: [call], type: 'ai' } },
    ];
    const lost = knownEffect({ key: 'lost', call_id: 'c0', args: '{}' });
    const { messages } = repaired(history, [REFUNDED, lost]);
    expect(messages.slice(2)).toEqual([
      { type: 'tool', data: tool },
      { type: 'human', data: { type: 'human', content: expect.stringContaining('[Waystation] The effect lost') } },
    ]);
  });

  it('lose a second call of one id, and one that says nothing', () => {
    const twice = { type: 'ai', content: '', tool_calls: [call, call], invalid_tool_calls: [call] };
    const { messages, repairs } = repaired([human, { type: 'ai', content: '', tool_calls: [] }, twice]);
    expect(langChainFaults(messages)).toEqual([]);
    expect(kindsOf(repairs)).toEqual(['removed_message', 'removed_call', 'removed_call', 'inserted_result']);
  });

  it.each([
    ['a message to remove another', [human, { type: 'remove', content: '', id: 'm1' }]],
    ['a call without an id', [human, { type: 'ai', content: '', tool_calls: [{ ...call, id: null }] }]],
    ['a message with a role', [human, { type: 'ai', role: 'assistant', content: 'Hi' }]],
    ['a class of its own', [{ lc: 1, type: 'constructor', id: ['my', 'MyMessage'], kwargs: { content: 'Hi' } }]],
    ['what could not be dumped', [{ lc: 1, type: 'not_implemented', id: ['langchain', 'AIMessage'] }]],
  ])('are not understood with %s', (_, history) => {
    expect(repaired(history, [REFUNDED])).toMatchObject({ messages: history, repairs: [{ kind: 'not_understood' }] });
  });
});

describe('Messages of the AI SDK’s user interface', () => {
  const user = { id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Refund it.' }] };
  const input = { order: 4711 };
  const saying = (part: object) => ({ id: 'm2', role: 'assistant', parts: [{ type: 'step-start' }, part] });
  const open = { type: 'tool-refund', toolCallId: 'c1', state: 'input-available', input };

  it('get the result into the part of the call, and keep every other byte', () => {
    const message = `{ "id":"m2", "role":"assistant","n":12345678901234567890, "parts":[ {"type":"tool-refund","toolCallId":"c1","x":1.0,"state":"input-available","input":{"order":4711}} ] }`;
    const { texts, repairs } = repaired([user, message], [knownEffect({ result: '{"id":12345678901234567890}' })]);
    expect(texts[1]!.toString()).toBe(
      message.replace(
        '"state":"input-available","input":{"order":4711}',
        '"state":"output-available","input":{"order":4711},"output":{"id":12345678901234567890}',
      ),
    );
    expect(repairs).toMatchObject([{ index: 1, kind: 'inserted_result', call_id: 'c1' }]);
  });

  it.each([
    ['whose arguments are not all there', { ...open, state: 'input-streaming', input: undefined }],
    ['that waits for a person', { ...open, state: 'approval-requested', approval: { id: 'a1' } }],
    ['that a person approved', { ...open, state: 'approval-responded', approval: { id: 'a1', approved: true } }],
    ['that a person denied', { ...open, state: 'approval-responded', approval: { id: 'a1', approved: false } }],
    ['of a tool that is known at run time only', { ...open, type: 'dynamic-tool', toolName: 'refund' }],
    [
      'of version 4',
      { type: 'tool-invocation', toolInvocation: { state: 'call', toolCallId: 'c1', toolName: 'refund', args: input } },
    ],
  ])('pass the checks of the SDK with a call %s', (_, part) => {
    for (const effects of [[], [REFUNDED], [knownEffect({ state: 'failed', result: null, error: '"no"' })]]) {
      const { messages, repairs } = repaired([user, saying(part)], effects);
      expect(aiSdkUiFaults(messages)).toEqual([]);
      expect(kindsOf(repairs)).toEqual(['inserted_result']);
    }
  });

  it('get what the ledger knows now in place of what an earlier repair did not know', () => {
    for (const part of [
      open,
      { type: 'tool-invocation', toolInvocation: { state: 'call', toolCallId: 'c1', toolName: 'refund', args: input } },
    ]) {
      const first = repaired([user, saying(part)]);
      expect(JSON.stringify(first.messages)).toContain(UNKNOWN);
      expect(repaired(first.messages).repairs).toEqual([]);
      expect(new ModelHistory(first.texts).answeredIds()).toEqual(new Set());
      const renewed = repaired(first.messages, [REFUNDED]);
      expect(aiSdkUiFaults(renewed.messages)).toEqual([]);
      expect(JSON.stringify(renewed.messages)).toContain('"paid back"');
      expect(renewed.repairs).toMatchObject([{ index: 1, kind: 'replaced_result', call_id: 'c1' }]);
    }
  });

  it('are told in a message of their own what they do not have', () => {
    const { messages, repairs } = repaired([user], [REFUNDED]);
    expect(aiSdkUiFaults(messages)).toEqual([]);
    expect(messages[1]).toMatchObject({ role: 'user', parts: [{ type: 'text' }] });
    expect(kindsOf(repairs)).toEqual(['appended_note']);
    expect(repaired(messages, [REFUNDED]).repairs).toEqual([]);
  });

  it('are not understood with parts of others', () => {
    for (const part of [{ text: 'Hi' }, { kind: 'text', text: 'Hi' }, { type: 'tool-call', toolCallId: 'c1' }]) {
      expect(repaired([user, saying(part)]).repairs).toMatchObject([{ index: 1, kind: 'not_understood' }]);
    }
  });
});

describe('The AI SDK’s model messages', () => {
  const user = { role: 'user', content: 'Refund it.' };
  const result = { type: 'tool-result', toolCallId: 'c1', toolName: 'refund' };
  const calling = (...parts: object[]) => ({ role: 'assistant', content: parts });

  it('get results as version 4 writes them where the calls are of that version', () => {
    const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'refund', args: { order: 4711 } };
    expect(repaired([user, calling(call)], [REFUNDED]).messages[2]).toEqual({
      role: 'tool',
      content: [{ ...result, result: 'paid back' }],
    });
  });

  it('get a result beside the answer of a person', () => {
    const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'refund', input: { order: 4711 } };
    const asked = { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' };
    const approved = { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a1', approved: true }] };
    const { messages } = repaired([user, calling(call, asked), approved], [knownEffect({ result: '[1]' })]);
    expect(messages.slice(2).flatMap(({ content }) => content)).toContainEqual({
      ...result,
      output: { type: 'json', value: [1] },
    });
  });
});

describe('Messages of Bedrock Converse', () => {
  const user = { role: 'user', content: [{ text: 'Refund it.' }] };
  const call = {
    role: 'assistant',
    content: [{ toolUse: { toolUseId: 'c1', name: 'refund', input: { order: 4711 } } }],
  };
  const result = { toolResult: { toolUseId: 'c1', content: [{ text: 'paid back' }] } };

  it('take turns: the result and what the user says behind it are one message', () => {
    const { messages, repairs } = repaired([user, call, { role: 'user', content: [{ text: 'And?' }] }], [REFUNDED]);
    expect(messages[2]).toEqual({ role: 'user', content: [result, { text: 'And?' }] });
    expect(kindsOf(repairs)).toEqual(['inserted_result', 'merged_message']);
  });

  it('tell in the same message what they do not have, and have it renewed once the ledger knows it', () => {
    const lost = knownEffect({ key: 'lost', call_id: 'c0', args: '{}' });
    const { messages, repairs } = repaired([user, call], [lost]);
    const [told, note] = messages[2]!.content as object[];
    expect(told).toMatchObject({
      toolResult: { toolUseId: 'c1', content: [{ text: '[Waystation] This call was not started.' }], status: 'error' },
    });
    expect(note).toEqual({ text: '[Waystation] The effect lost (tool refund) was completed: paid back' });
    expect(kindsOf(repairs)).toEqual(['inserted_result', 'appended_note', 'merged_message']);
    expect(repaired(messages, [lost]).repairs).toEqual([]);
    expect(repaired(messages, [lost, REFUNDED]).messages[2]!.content).toEqual([result, note]);
  });

  it('begin with the user', () => {
    const history = [call, { role: 'user', content: [result] }];
    const { messages, repairs } = repaired(history);
    expect(messages).toEqual([{ role: 'user', content: [{ text: expect.any(String) }] }, ...history]);
    expect(repairs).toMatchObject([{ index: 0, kind: 'inserted_message' }]);
  });
});
