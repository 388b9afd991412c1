import type { JsonObject } from './faults.js';

export interface SpokenCall {
  id: string;
  name: string;
  args: JsonObject;
  result: string;
}

/** The model's text and its tool calls. */
export interface ModelStep {
  model: string | null;
  calls: readonly SpokenCall[];
  /** Whether it thinks first, if the API shows that. */
  isThought?: boolean;
  /** Whether it has used a provider-run tool, if the API has any. */
  isSearched?: boolean;
  id?: string;
}

/** The results of the previous calls, and whether the user adds text, if the API allows that. */
export interface ResultStep {
  results: readonly SpokenCall[];
  isGoingOn?: boolean;
}

/** A step of a conversation, independent of the API. */
export type Step = { system: string } | { user: string } | ModelStep | ResultStep;

/** The steps of a recorded history in the shape of OpenAI's chat. */
export function stepsOf(messages: readonly JsonObject[]): Step[] {
  const results = new Map(messages.map(({ tool_call_id, content }) => [tool_call_id, String(content)]));
  const ids = new Set<string>();
  let made: SpokenCall[] = [];
  return messages.map((message, at): Step => {
    const content = message.content as string | null;
    if (message.role === 'system') return { system: content! };
    if (message.role === 'user') return { user: content! };
    if (message.role === 'tool') return { results: made.map((call) => ({ ...call, result: content! })) };
    const called = (message.tool_calls ?? []) as { id: string; function: { name: string; arguments: string } }[];
    made = called.map(({ id, function: { name, arguments: args } }) => {
      // Some recordings reuse an id, which not every provider allows.
      const unique = ids.has(id) ? `${id}_${at}` : id;
      ids.add(id);
      return { id: unique, name, args: JSON.parse(args) as JsonObject, result: results.get(id) ?? '' };
    });
    return { model: content === '' ? null : content, calls: made };
  });
}
