import type { JsonObject } from './faults.js';
import type { ModelStep, ResultStep, SpokenCall, Step } from './steps.js';

export function openAiChat(step: Step): JsonObject[] {
  if ('system' in step) return [{ role: 'system', content: step.system }];
  if ('user' in step) return [{ role: 'user', content: step.user }];
  if ('results' in step)
    return step.results.map(({ id, result }) => ({ role: 'tool', tool_call_id: id, content: result }));
  const tool_calls = step.calls.map(({ id, name, args }) => {
    return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
  });
  return [{ role: 'assistant', content: step.model, ...(tool_calls.length > 0 ? { tool_calls } : {}) }];
}

export function openAiResponses(step: Step): JsonObject[] {
  if ('system' in step) return [{ role: 'developer', content: step.system }];
  if ('user' in step) return [{ type: 'message', role: 'user', content: step.user }];
  if ('results' in step) {
    return step.results.map(({ id, result }, i) => {
      return { type: i === 2 ? 'custom_tool_call_output' : 'function_call_output', call_id: id, output: result };
    });
  }
  const calls = step.calls.map(({ id, name, args }, i) => {
    if (i === 2) return { type: 'custom_tool_call', call_id: id, name, input: JSON.stringify(args) };
    return { type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: JSON.stringify(args) };
  });
  const thought = step.isThought ? [{ type: 'reasoning', id: `rs_${step.id}`, summary: [] }] : [];
  const isSaid = step.model !== null && !step.isThought;
  const said = isSaid
    ? [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: step.model }] }]
    : [];
  return [...thought, ...said, ...calls];
}

export function anthropic(step: Step): JsonObject[] {
  if ('system' in step) return [];
  if ('user' in step) return [{ role: 'user', content: step.user }];
  if ('results' in step) {
    const results = step.results.map(({ id, result }) => ({ type: 'tool_result', tool_use_id: id, content: result }));
    return [{ role: 'user', content: step.isGoingOn ? [...results, { type: 'text', text: 'Go on.' }] : results }];
  }
  const said = step.model === null ? [] : [{ type: 'text', text: step.model }];
  const calls = step.calls.map(({ id, name, args }) => ({ type: 'tool_use', id, name, input: args }));
  const searched = step.isSearched
    ? [
        { type: 'server_tool_use', id: `srv_${step.id}`, name: 'web_search', input: {} },
        { type: 'web_search_tool_result', tool_use_id: `srv_${step.id}`, content: [] },
      ]
    : [];
  return [{ role: 'assistant', content: [...searched, ...said, ...calls] }];
}

export function gemini(step: Step, hasIds: boolean): JsonObject[] {
  const head = ({ id, name }: SpokenCall) => (hasIds ? { id, name } : { name });
  if ('system' in step) return [];
  if ('user' in step) return [{ role: 'user', parts: [{ text: step.user }] }];
  if ('results' in step) {
    const parts = step.results.map((call) => ({
      functionResponse: { ...head(call), response: { output: call.result } },
    }));
    return [{ role: 'user', parts }];
  }
  const thought = step.isThought ? { thought: true } : {};
  const said = step.model === null ? [] : [{ text: step.model, ...thought }];
  const calls = step.calls.map((call) => ({ functionCall: { ...head(call), args: call.args } }));
  return [{ role: 'model', parts: [...said, ...calls] }];
}

/** Roles alternate: consecutive texts of one role are one message. */
export function bedrock(steps: readonly Step[]): JsonObject[] {
  const turns: { role: string; content: JsonObject[] }[] = [];
  for (const step of steps) {
    if ('system' in step) continue;
    const role = 'calls' in step ? 'assistant' : 'user';
    const last = turns.at(-1);
    if (last?.role === role) last.content.push(...bedrockBlocks(step));
    else turns.push({ role, content: bedrockBlocks(step) });
  }
  return turns.map((turn) => ({ ...turn }));
}

function bedrockBlocks(step: { user: string } | ModelStep | ResultStep): JsonObject[] {
  if ('user' in step) return [{ text: step.user }];
  if ('results' in step) {
    const results = step.results.map(({ id, result }) => ({
      toolResult: { toolUseId: id, content: [{ text: result }] },
    }));
    return step.isGoingOn ? [...results, { text: 'Go on.' }] : results;
  }
  const said = step.model === null ? [] : [{ text: step.model }];
  return [...said, ...step.calls.map(({ id, name, args }) => ({ toolUse: { toolUseId: id, name, input: args } }))];
}
