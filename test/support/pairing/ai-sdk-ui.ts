import { objectsOf, type JsonObject } from './faults.js';

/** The members of a tool part in each state; it has none of the other four. */
const STATES: Readonly<Record<string, readonly string[]>> = {
  'input-streaming': [],
  'input-available': ['input'],
  'approval-requested': ['input', 'approval'],
  'approval-responded': ['input', 'approval'],
  'output-available': ['input', 'output'],
  'output-error': ['input', 'errorText'],
  'output-denied': ['input', 'approval'],
};
const RESULT_STATES = new Set(['output-available', 'output-error', 'output-denied']);
const OTHER_PARTS = /^(?:text|reasoning|source-url|source-document|file|step-start|data-.+)$/;

/**
 * What `validateUIMessages` of the AI SDK refuses (https://ai-sdk.dev/docs/reference/ai-sdk-core/validate-ui-messages and its schema), and
 * parts that `convertToModelMessages` turns into a call without a result.
 */
export function aiSdkUiFaults(messages: readonly JsonObject[]): string[] {
  return messages.flatMap((message, i) => faultsOf(message).map((fault) => `messages.${i}: ${fault}`));
}

function faultsOf({ id, role, parts }: JsonObject): string[] {
  const faults: string[] = [];
  if (typeof id !== 'string') faults.push('no id');
  if (!['system', 'user', 'assistant'].includes(String(role))) faults.push('no role');
  if (objectsOf(parts).length === 0) faults.push('no parts');
  return [...faults, ...objectsOf(parts).flatMap(partFaults)];
}

function partFaults(part: JsonObject): string[] {
  const type = String(part.type);
  if (type === 'tool-invocation') return oldFaults(part.toolInvocation as JsonObject);
  if (type === 'text' || type === 'reasoning') return typeof part.text === 'string' ? [] : ['no text'];
  if (type !== 'dynamic-tool' && !type.startsWith('tool-')) return OTHER_PARTS.test(type) ? [] : [`the part ${type}`];
  const state = String(part.state);
  const faults = typeof part.toolCallId === 'string' ? [] : ['no id of a call'];
  if (type === 'dynamic-tool' && typeof part.toolName !== 'string') faults.push('no name of a tool');
  if (!RESULT_STATES.has(state)) return [...faults, `a call in the state ${state}`];
  for (const name of STATES[state]!) if (!(name in part)) faults.push(`no ${name} in the state ${state}`);
  for (const name of ['output', 'errorText'])
    if (name in part && !STATES[state]!.includes(name)) faults.push(`${name} in the state ${state}`);
  if ('errorText' in part && typeof part.errorText !== 'string') faults.push('an error that is no text');
  const approval = part.approval as JsonObject | undefined;
  if (approval && approval.approved !== (state !== 'output-denied')) faults.push(`the approval in the state ${state}`);
  return faults;
}

/** Version 4 of the SDK. */
function oldFaults({ state, toolCallId, toolName, ...invocation }: JsonObject): string[] {
  if (typeof toolCallId !== 'string' || typeof toolName !== 'string') return ['no call'];
  return state === 'result' && 'args' in invocation && 'result' in invocation
    ? []
    : [`a call in the state ${String(state)}`];
}
