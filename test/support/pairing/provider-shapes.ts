import { a2aFaults } from './a2a.js';
import { aiSdkModelFaults } from './ai-sdk-model.js';
import { aiSdkUiFaults } from './ai-sdk-ui.js';
import { anthropicFaults } from './anthropic.js';
import { bedrockFaults } from './bedrock.js';
import type { JsonObject } from './faults.js';
import { geminiFaults } from './gemini.js';
import { langChainFaults } from './langchain.js';
import { openAiChatFaults } from './openai-chat.js';
import { openAiResponsesFaults } from './openai-responses.js';
import { pydanticAiFaults } from './pydantic-ai.js';
import type { Step } from './steps.js';
import * as frameworks from './written-by-frameworks.js';
import * as providers from './written-by-providers.js';

/** An API's or a framework's message format, and what it refuses. */
export interface ProviderShape {
  name: string;
  write: (steps: readonly Step[]) => JsonObject[];
  faultsOf: (messages: readonly JsonObject[]) => string[];
  /** Damage by broken streams and careless programs. */
  spoils: readonly ((message: JsonObject) => JsonObject)[];
}

const says =
  (members: JsonObject) =>
  (message: JsonObject): JsonObject => ({ ...message, ...members });

/** Adds something before or after the blocks of a message. */
const adds =
  (list: string, block: JsonObject, isFirst: boolean) =>
  (message: JsonObject): JsonObject => {
    const blocks = message[list];
    if (!Array.isArray(blocks)) return message;
    return { ...message, [list]: isFirst ? [block, ...(blocks as unknown[])] : [...(blocks as unknown[]), block] };
  };

const ofModel =
  (role: string, spoil: (message: JsonObject) => JsonObject) =>
  (message: JsonObject): JsonObject =>
    message.role === role ? spoil(message) : message;

const OPENAI_CHAT: ProviderShape = {
  name: 'OpenAI chat',
  write: (steps) => steps.flatMap(providers.openAiChat),
  faultsOf: openAiChatFaults,
  spoils: [
    ofModel('assistant', says({ tool_calls: [] })),
    ofModel('assistant', says({ content: null, reasoning_content: 'hmm' })),
    ofModel('assistant', says({ content: [] })),
    ofModel('assistant', ({ role }) => ({ role, content: '' })),
  ],
};

const ANTHROPIC: ProviderShape = {
  name: 'Anthropic',
  write: (steps) => steps.flatMap(providers.anthropic),
  faultsOf: anthropicFaults,
  spoils: [
    adds('content', { type: 'text', text: '' }, true),
    adds('content', { type: 'text', text: ' \n' }, false),
    ofModel('assistant', adds('content', { type: 'thinking', thinking: 'Let me', signature: '' }, true)),
    ofModel('assistant', says({ content: [{ type: 'thinking', thinking: '' }] })),
    ofModel('assistant', adds('content', { type: 'thinking', thinking: 'So', signature: 'EqQB' }, true)),
    ({ role }) => ({ role, content: '' }),
    ({ role }) => ({ role, content: [] }),
  ],
};

const GEMINI_SPOILS: ProviderShape['spoils'] = [
  adds('parts', { text: '' }, true),
  adds('parts', {}, false),
  adds('parts', { text: '', thoughtSignature: 'EqQB' }, false),
  says({ parts: [] }),
];

/** Shapes in which histories are repaired. */
export const PROVIDER_SHAPES: readonly ProviderShape[] = [
  OPENAI_CHAT,
  {
    name: 'OpenAI Responses',
    write: (steps) => steps.flatMap(providers.openAiResponses),
    faultsOf: openAiResponsesFaults,
    spoils: [],
  },
  ANTHROPIC,
  {
    name: 'Gemini',
    write: (steps) => steps.flatMap((step) => providers.gemini(step, false)),
    faultsOf: geminiFaults,
    spoils: GEMINI_SPOILS,
  },
  {
    name: 'Gemini with ids',
    write: (steps) => steps.flatMap((step) => providers.gemini(step, true)),
    faultsOf: geminiFaults,
    spoils: GEMINI_SPOILS,
  },
  {
    name: 'Bedrock Converse',
    write: providers.bedrock,
    faultsOf: bedrockFaults,
    spoils: [
      adds('content', { text: '' }, true),
      adds('content', { text: '\t' }, false),
      says({ content: [{ text: ' ' }] }),
      says({ content: [] }),
    ],
  },
  ...(['flat', 'data', 'constructor'] as const).map((form) => ({
    name: `LangChain (${form})`,
    write: (steps: readonly Step[]) => steps.flatMap((step) => frameworks.langChain(step, form)),
    faultsOf: langChainFaults,
    spoils:
      form === 'flat' ? [(message: JsonObject) => (message.type === 'ai' ? { type: 'ai', content: '' } : message)] : [],
  })),
  {
    name: 'AI SDK, user interface',
    write: (steps) => frameworks.aiSdkUi(steps, false),
    faultsOf: aiSdkUiFaults,
    spoils: [says({ parts: [] })],
  },
  {
    name: 'AI SDK, user interface of version 4',
    write: (steps) => frameworks.aiSdkUi(steps, true),
    faultsOf: aiSdkUiFaults,
    spoils: [says({ parts: [] })],
  },
  {
    name: 'AI SDK, model',
    write: (steps) => steps.flatMap((step) => frameworks.aiSdkModel(step, false)),
    faultsOf: aiSdkModelFaults,
    spoils: [],
  },
  {
    name: 'AI SDK, model of version 4',
    write: (steps) => steps.flatMap((step) => frameworks.aiSdkModel(step, true)),
    faultsOf: aiSdkModelFaults,
    spoils: [],
  },
];

/** Shapes that are returned unchanged. */
export const FOREIGN_SHAPES: readonly ProviderShape[] = [
  { name: 'pydantic-ai', write: frameworks.pydanticAi, faultsOf: pydanticAiFaults, spoils: [] },
  { name: 'A2A', write: frameworks.a2a, faultsOf: a2aFaults, spoils: [] },
];
