import { type JsonObject, isPresent, textOf } from './json-text.js';

type Speaker = 'user' | 'assistant' | 'system' | 'tool';

const SPEAKERS = new Map<string, Speaker>([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['human', 'user'],
  ['assistant', 'assistant'],
  ['model', 'assistant'],
  ['ai', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

/** Who speaks, from `role`, or from `type` as in messages of LangChain (`{"type": "human", "content": ...}`). */
export function speakerOf(message: JsonObject): Speaker | undefined {
  const named = textOf(message.role);
  if (named !== undefined) return SPEAKERS.get(named);
  const type = textOf(message.type);
  return type !== undefined && isPresent(message.content) ? SPEAKERS.get(type) : undefined;
}
