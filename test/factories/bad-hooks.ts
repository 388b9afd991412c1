import fc from 'fast-check';

const valid = { session_id: 's', hook_event_name: 'PermissionRequest', tool_name: 'Bash', tool_input: {} };
const other = (fields: object) => JSON.stringify({ ...valid, ...fields });

/** Bodies of hooks that must be refused, by what is wrong with them. */
export const BAD_BODIES: readonly (readonly [name: string, body: string])[] = [
  ['nothing', ''],
  ['no JSON', '{"session_id":'],
  ['a list', '[]'],
  ['a text', '"x"'],
  ['an empty object', '{}'],
  ['no session', other({ session_id: null })],
  ['an empty session', other({ session_id: '' })],
  ['a session with a control character', other({ session_id: 'a\u0000b' })],
  ['half a surrogate pair', '{"session_id":"\\ud800","hook_event_name":"Stop"}'],
  ['a long session', other({ session_id: 's'.repeat(401) })],
  ['a session of another type', other({ session_id: 7 })],
  ['an event of another type', other({ hook_event_name: ['Stop'] })],
  ['an event that is no name', other({ hook_event_name: 'a b' })],
  ['a huge event', other({ hook_event_name: 'x'.repeat(100_000) })],
  ['a tool of another type', other({ tool_name: {} })],
  ['an empty tool', other({ tool_name: '' })],
  [
    'an input that is too deep',
    `{"session_id":"s","hook_event_name":"PermissionRequest","tool_name":"B","tool_input":${'['.repeat(3000)}${']'.repeat(3000)}}`,
  ],
  ['more than there is room for', other({ tool_input: { content: 'x'.repeat(4 * 1024 * 1024) } })],
];

const EVENTS = [
  'PermissionRequest',
  'PostToolUse',
  'PostToolUseFailure',
  'UserPromptSubmit',
  'Stop',
  'StopFailure',
  'SessionEnd',
  'Other',
];
const value = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom('', 'x', 7, null, [], {}, '\u0000', '\ud800', 1e308),
);

/** Bodies that are right here and odd there. */
export function bodiesOf(count: number): string[] {
  const body = fc.record(
    {
      session_id: fc.oneof(fc.constantFrom('one', 'two'), value),
      hook_event_name: fc.oneof(fc.constantFrom(...EVENTS), value),
      tool_name: fc.oneof(fc.constant('Bash'), value),
      ...{ tool_input: value, tool_response: value, tool_use_id: value, prompt: value, last_assistant_message: value },
      ...{ prompt_id: value, model: value, error: value, __proto__: value },
    },
    { requiredKeys: ['session_id', 'hook_event_name'] },
  );
  return fc.sample(body, count).map((one) => JSON.stringify(one));
}
