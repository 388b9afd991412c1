import { objectsOf, turnsOf, type JsonObject } from './faults.js';

/**
 * What the Gemini API refuses, from https://ai.google.dev/gemini-api/docs/function-calling and its errors: "the number of function response
 * parts is equal to the number of function call parts of the function call turn", "function response turn comes immediately after a
 * function call turn". Responses have the calls' names, and their ids if both have some. "Please ensure that function call turn comes
 * immediately after a user turn or after a function response turn", "contents.parts must not be empty", "it has an empty text parameter",
 * "required oneof field 'data' must have one initialized field".
 */
export function geminiFaults(contents: readonly JsonObject[]): string[] {
  const faults: string[] = [];
  let calls: JsonObject[] = [];
  for (const [role, turn] of turnsOf(contents, ({ role }) => (role === 'model' ? 'model' : 'user'))) {
    for (const { parts } of turn) if (objectsOf(parts).length === 0) faults.push('no parts');
    const isFirst = turn[0] === contents[0];
    const parts = turn.flatMap((content) => objectsOf(content.parts));
    faults.push(...parts.filter(isEmpty).map(() => 'an empty part'));
    const responses = headsOf(parts, 'functionResponse', 'function_response');
    if (role === 'model') {
      if (responses.length > 0) faults.push('the model brings responses');
      calls = headsOf(parts, 'functionCall', 'function_call');
      if (isFirst && calls.length > 0) faults.push('a call before the user has said anything');
      const ids = calls.map(({ id }) => id).filter((id) => id !== undefined);
      if (new Set(ids).size < ids.length) faults.push('an id twice');
      const callers = turn.map(
        (content) => headsOf(objectsOf(content.parts), 'functionCall', 'function_call').length > 0,
      );
      if (callers.includes(true) && callers.lastIndexOf(false) > callers.indexOf(true))
        faults.push('text behind calls');
      continue;
    }
    if (!isAnswered(calls, responses))
      faults.push(`calls ${JSON.stringify(calls)} but responses ${JSON.stringify(responses)}`);
    calls = [];
  }
  if (calls.length > 0) faults.push(`the end: no responses for ${JSON.stringify(calls)}`);
  return faults;
}

function headsOf(parts: readonly JsonObject[], ...names: string[]): JsonObject[] {
  return names.flatMap((name) => objectsOf(parts.map((part) => part[name]))).map(({ id, name }) => ({ id, name }));
}

function isAnswered(calls: readonly JsonObject[], responses: readonly JsonObject[]): boolean {
  const left = [...calls];
  for (const response of responses) {
    const isSame = (call: JsonObject) => call.name === response.name && [undefined, call.id].includes(response.id);
    const found = left.findIndex((call) => isSame(call) || (call.id === undefined && call.name === response.name));
    if (found === -1) return false;
    left.splice(found, 1);
  }
  return left.length === 0;
}

function isEmpty(part: JsonObject): boolean {
  const { thought: _, thoughtSignature, thought_signature, text, ...data } = part;
  const has = (value: unknown) => value !== undefined && value !== null;
  if ([thoughtSignature, thought_signature, ...Object.values(data)].some(has)) return false;
  return text === undefined || text === null || text === '';
}
