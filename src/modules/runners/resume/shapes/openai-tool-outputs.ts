import type { CallOutcome } from '../call-outcomes.js';
import { nameOf } from '../../../../common/exact-values.js';

/** How the client answers calls of one type. */
interface Answer {
  type: string;
  /** The member of the answer with the call's id. */
  idMember: string;
  /** Whether the client, not the API, answers this call. */
  isAnswered: (call: ReadonlyMap<string, Buffer>) => boolean;
  /** Further members of an answer; null if one cannot be made up. */
  write: ((outcome: CallOutcome) => object) | null;
}

/** Items of https://platform.openai.com/docs/api-reference/responses/create that need an answer, by type. */
export const ANSWERS: Readonly<Record<string, Answer>> = {
  function_call: answer('function_call_output', asText),
  custom_tool_call: answer('custom_tool_call_output', asText),
  local_shell_call: answer('local_shell_call_output', asText),
  shell_call: answer('shell_call_output', ({ text, isError }) => ({
    output: [{ stdout: '', stderr: text, outcome: { type: 'exit', exit_code: isError ? 1 : 0 } }],
  })),
  apply_patch_call: answer('apply_patch_call_output', ({ text, isError }) => ({
    status: isError ? 'failed' : 'completed',
    output: text,
  })),
  // Answered by a screenshot.
  computer_call: answer('computer_call_output', null),
  tool_search_call: {
    ...answer('tool_search_output', () => ({ execution: 'client', status: 'completed', tools: [] })),
    isAnswered: (call) => nameOf(call.get('execution')) === 'client',
  },
  // The API runs the tool if it is approved: a repair approves nothing.
  mcp_approval_request: {
    ...answer('mcp_approval_response', ({ text }) => ({ approve: false, reason: text })),
    idMember: 'approval_request_id',
  },
};

export const ANSWER_TYPES: ReadonlySet<string> = new Set(Object.values(ANSWERS).map(({ type }) => type));

function answer(type: string, write: Answer['write']): Answer {
  return { type, idMember: 'call_id', isAnswered: () => true, write };
}

function asText({ text }: CallOutcome): object {
  return { output: text };
}
