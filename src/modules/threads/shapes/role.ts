import { type JsonObject, isPresent, textOf } from './json-text.js';

type Role = 'user' | 'assistant' | 'system' | 'tool';

const ROLES = new Map<string, Role>([
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

/** Who speaks, from `role`, or from `type` as in LangChain (`{"type": "human", "content": ...}`). */
export function roleOf(message: JsonObject): Role | undefined {
  const named = textOf(message.role);
  if (named !== undefined) return ROLES.get(named);
  const type = textOf(message.type);
  return type !== undefined && isPresent(message.content) ? ROLES.get(type) : undefined;
}
