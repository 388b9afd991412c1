import { ToolCallIndex } from '../tool-call-index.js';
import { elementsOf, isBlank, isText, nameOf, pick } from '../../../../common/exact-values.js';
import { blockMethods } from './block-methods.js';
import type { Block, BlockShape } from './block-shape.js';
import { EMPTY_TEXT, type Refusal } from './block-tidy.js';
import type { Fit, HistoryShape, Message } from './history-shape.js';
import { spokenMessage } from './openai-chat.js';

const ROLES = new Set(['user', 'assistant', 'system']);
/** Members that only other APIs' and frameworks' messages have. */
const FOREIGN_MEMBERS = [
  'parts',
  'tool_calls',
  'function_call',
  'tool_call_id',
  'tool_call_ids',
  'toolInvocations',
  'lc',
  'kwargs',
  'kind',
];
/** Blocks that only Anthropic has. */
const OWN_BLOCK = /^(?:\w+_)?tool_(?:use|result)$|^(?:redacted_thinking|search_result|container_upload|compaction)$/;
/** Types of parts that only others have. */
const FOREIGN_BLOCK =
  /-|^(?:input|output|summary|reasoning)_|^(?:image_url|file|audio|refusal|reasoning|tool_call|function_call)$/;
/** `server_tool_use`, `mcp_tool_use`: run by the provider. */
const HOSTED_CALL = /^\w+_tool_use$/;
/** `web_search_tool_result`, `mcp_tool_result` and the like. */
const HOSTED_RESULT = /^\w+_tool_result$/;

/**
 * Anthropic's Messages API. The user turn after tool calls begins with exactly their results; consecutive turns of one role count as one
 * (https://docs.claude.com/en/docs/agents-and-tools/tool-use/handle-tool-calls). A model message must not have text after its calls: the
 * API then reports missing results.
 */
const SHAPE: BlockShape = {
  list: 'content',
  modelRole: 'assistant',
  resultRole: 'user',
  isTurnwise: true,
  isOrdered: true,
  isNamed: false,

  read(block): Block {
    const [ofType, ofId, ofName, input, ofCalledId] = pick(block, ['type', 'id', 'name', 'input', 'tool_use_id']);
    const type = nameOf(ofType) ?? '';
    if (type === 'text') return { kind: 'text' };
    if (type === 'tool_use') return { kind: 'call', id: nameOf(ofId), name: nameOf(ofName), args: input ?? null };
    if (HOSTED_CALL.test(type)) return { kind: 'hosted_call', id: nameOf(ofId), name: nameOf(ofName) };
    const calledId = nameOf(ofCalledId);
    if (type === 'tool_result') return { kind: 'result', id: calledId, name: null };
    return HOSTED_RESULT.test(type) ? { kind: 'hosted_result', id: calledId, name: null } : { kind: 'other' };
  },

  result({ id }, { text, isError }) {
    const error = isError ? { is_error: true } : {};
    return Buffer.from(JSON.stringify({ type: 'tool_result', tool_use_id: id, content: text, ...error }));
  },

  text: (text) => Buffer.from(JSON.stringify({ type: 'text', text })),
};

/**
 * "messages: text content blocks must be non-empty", "… must contain non-whitespace text", "messages.1.content.0.thinking.signature: Field
 * required", "Invalid `signature` in `thinking` block". Interrupted streams leave such blocks. A signed thought keeps every byte, even if
 * empty: the API returns empty ones when it hides its thoughts.
 */
const refusalOf: Refusal = (block) => {
  const [ofType, text, signature] = pick(block, ['type', 'text', 'signature']);
  const type = nameOf(ofType);
  if (type === 'text' && isBlank(text)) return EMPTY_TEXT;
  if (type !== 'thinking' || (isText(signature) && !isBlank(signature))) return null;
  return { kind: 'removed_reasoning', detail: 'The provider refuses its own thoughts without their signature.' };
};

export const ANTHROPIC: HistoryShape = {
  fit,
  ...blockMethods(SHAPE, refusalOf),
};

/** A conversation without tools, which OpenAI's and Anthropic's APIs read alike. */
export const PLAIN: HistoryShape = {
  ...ANTHROPIC,
  indexCalls: () => new ToolCallIndex(),
  repair: (history, draft) => {
    for (const { at, bytes } of history) draft.push(at, bytes);
  },
  note: spokenMessage,
};

function fit(message: Message): Fit {
  if (!ROLES.has(nameOf(message.get('role')) ?? '')) return 'none';
  if (FOREIGN_MEMBERS.some((name) => message.has(name))) return 'none';
  const content = message.get('content');
  if (isText(content)) return 'shared';
  const fits = elementsOf(content)?.map(fitOfBlock);
  if (!fits || fits.includes('none')) return 'none';
  return fits.includes('own') ? 'own' : 'shared';
}

function fitOfBlock(block: Buffer): Fit {
  const [ofType, text, thinking, source] = pick(block, ['type', 'text', 'thinking', 'source']);
  const type = nameOf(ofType);
  if (type === null || FOREIGN_BLOCK.test(type)) return 'none';
  if (type === 'text') return isText(text) ? 'shared' : 'none';
  if (type === 'thinking') return isText(thinking) ? 'own' : 'none';
  if (type === 'image' || type === 'document') return source ? 'own' : 'none';
  return OWN_BLOCK.test(type) ? 'own' : 'shared';
}
