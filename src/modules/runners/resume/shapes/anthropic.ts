import { membersOf, nameOf } from '../exact-values.js';
import type { Block, BlockShape } from './block-shape.js';

/** `server_tool_use`, `mcp_tool_use`: the provider runs these itself. */
const HOSTED_CALL = /^\w+_tool_use$/;
/** `web_search_tool_result`, `mcp_tool_result` and the like. */
const HOSTED_RESULT = /^\w+_tool_result$/;

/**
 * Anthropic's Messages API. The user turn that follows tool calls begins with their results, all of them and no others; turns of one role in a
 * row count as one (https://docs.claude.com/en/docs/agents-and-tools/tool-use/handle-tool-calls). Behind its calls a message of the model
 * says nothing; the API refuses it then as if the results were missing.
 */
export const ANTHROPIC: BlockShape = {
  list: 'content',
  modelRole: 'assistant',
  isOrdered: true,

  read(block): Block {
    const members = membersOf(block);
    const type = nameOf(members.get('type')) ?? '';
    const id = nameOf(members.get('id'));
    const name = nameOf(members.get('name'));
    if (type === 'tool_use') return { kind: 'call', id, name, args: members.get('input') ?? null };
    if (type === 'text') return { kind: 'text' };
    if (HOSTED_CALL.test(type)) return { kind: 'hosted_call', id, name };
    const calledId = nameOf(members.get('tool_use_id'));
    if (type === 'tool_result') return { kind: 'result', id: calledId, name: null };
    return HOSTED_RESULT.test(type) ? { kind: 'hosted_result', id: calledId, name: null } : { kind: 'other' };
  },

  result({ id }, { text, isError }) {
    const error = isError ? { is_error: true } : {};
    return Buffer.from(JSON.stringify({ type: 'tool_result', tool_use_id: id, content: text, ...error }));
  },

  text: (text) => Buffer.from(JSON.stringify({ type: 'text', text })),
};
