import type { JsonObject } from './faults.js';
import type { ModelStep, SpokenCall, Step } from './steps.js';

/** How LangChain's messages are serialised: by `model_dump()`, `message_to_dict()` or `dumps()`. */
export type LangChainForm = 'flat' | 'data' | 'constructor';

export function langChain(step: Step, form: LangChainForm): JsonObject[] {
  if ('system' in step) return [langChainMessage('system', { content: step.system }, form)];
  if ('user' in step) return [langChainMessage('human', { content: step.user }, form)];
  if ('results' in step) {
    return step.results.map(({ id, name, result }) => {
      return langChainMessage('tool', { content: result, name, tool_call_id: id, status: 'success' }, form);
    });
  }
  const tool_calls = step.calls.map(({ id, name, args }) => ({ name, args, id, type: 'tool_call' }));
  return [langChainMessage('ai', { content: step.model ?? '', tool_calls, invalid_tool_calls: [] }, form)];
}

const CLASSES = { system: 'SystemMessage', human: 'HumanMessage', ai: 'AIMessage', tool: 'ToolMessage' } as const;

function langChainMessage(type: keyof typeof CLASSES, fields: JsonObject, form: LangChainForm): JsonObject {
  const all = { ...fields, additional_kwargs: {}, response_metadata: {} };
  if (form === 'flat') return { ...all, type };
  if (form === 'data') return { type, data: { ...all, type } };
  return {
    lc: 1,
    type: 'constructor',
    id: ['langchain', 'schema', 'messages', CLASSES[type]],
    kwargs: { ...all, type },
  };
}

/** A call and its result are one part of a message; calls of a step without results stay open. */
export function aiSdkUi(steps: readonly Step[], isOld: boolean): JsonObject[] {
  return steps.flatMap((step, i): JsonObject[] => {
    const id = `msg_${i}`;
    if ('results' in step) return [];
    if ('system' in step) return [{ id, role: 'system', parts: [{ type: 'text', text: step.system }] }];
    if ('user' in step) return [{ id, role: 'user', parts: [{ type: 'text', text: step.user }] }];
    const next = steps[i + 1];
    const answered = new Set(next && 'results' in next ? next.results.map((call) => call.id) : []);
    const said = step.model === null ? [] : [{ type: step.isThought ? 'reasoning' : 'text', text: step.model }];
    const calls = step.calls.map((call, k) => {
      const isDone = answered.has(call.id);
      return isOld ? oldUiCall(call, isDone) : uiCall(call, isDone, k === 2);
    });
    return [{ id, role: 'assistant', parts: [{ type: 'step-start' }, ...said, ...calls] }];
  });
}

function uiCall({ id, name, args, result }: SpokenCall, isDone: boolean, isDynamic: boolean): JsonObject {
  const type = isDynamic ? { type: 'dynamic-tool', toolName: name } : { type: `tool-${name}` };
  const state = isDone
    ? { state: 'output-available', input: args, output: result }
    : { state: 'input-available', input: args };
  return { ...type, toolCallId: id, ...state };
}

function oldUiCall({ id, name, args, result }: SpokenCall, isDone: boolean): JsonObject {
  const state = isDone ? { state: 'result', result } : { state: 'call' };
  return { type: 'tool-invocation', toolInvocation: { toolCallId: id, toolName: name, args, ...state } };
}

export function aiSdkModel(step: Step, isOld: boolean): JsonObject[] {
  if ('system' in step) return [{ role: 'system', content: step.system }];
  if ('user' in step) return [{ role: 'user', content: step.user }];
  if ('results' in step) {
    const content = step.results.map(({ id, name, result }) => {
      const output = isOld ? { result } : { output: { type: 'text', value: result } };
      return { type: 'tool-result', toolCallId: id, toolName: name, ...output };
    });
    return [{ role: 'tool', content }];
  }
  const said = step.model === null ? [] : [{ type: step.isThought ? 'reasoning' : 'text', text: step.model }];
  const calls = step.calls.map(({ id, name, args }) => {
    return { type: 'tool-call', toolCallId: id, toolName: name, [isOld ? 'args' : 'input']: args };
  });
  const searched = step.isSearched && !isOld ? hostedSearch(step) : [];
  return [{ role: 'assistant', content: [...searched, ...said, ...calls] }];
}

function hostedSearch({ id }: ModelStep): JsonObject[] {
  const call = { toolCallId: `srv_${id}`, toolName: 'web_search' };
  return [
    { type: 'tool-call', ...call, input: {}, providerExecuted: true },
    { type: 'tool-result', ...call, output: { type: 'json', value: [] } },
  ];
}

export function pydanticAi(steps: readonly Step[]): JsonObject[] {
  return steps.map((step) => {
    const request = (parts: JsonObject[]) => ({ kind: 'request', parts });
    if ('system' in step) return request([{ part_kind: 'system-prompt', content: step.system }]);
    if ('user' in step) return request([{ part_kind: 'user-prompt', content: step.user }]);
    if ('results' in step) {
      return request(
        step.results.map(({ id, name, result }) => {
          return { part_kind: 'tool-return', tool_name: name, content: result, tool_call_id: id };
        }),
      );
    }
    const said = step.model === null ? [] : [{ part_kind: 'text', content: step.model }];
    const calls = step.calls.map(({ id, name, args }) => {
      return { part_kind: 'tool-call', tool_name: name, args: JSON.stringify(args), tool_call_id: id };
    });
    return { kind: 'response', parts: [...said, ...calls] };
  });
}

/** The protocol has no tools: their texts become data parts. */
export function a2a(steps: readonly Step[]): JsonObject[] {
  return steps.map((step, i) => {
    const isModel = 'calls' in step;
    const text = 'user' in step ? step.user : isModel ? step.model : null;
    const parts = text === null ? [{ kind: 'data', data: { ...step } }] : [{ kind: 'text', text }];
    return { kind: 'message', messageId: `m${i}`, role: isModel ? 'agent' : 'user', parts };
  });
}
