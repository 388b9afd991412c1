import { membersOf, nameOf } from '../exact-values.js';
import type { Block, BlockShape } from './block-shape.js';

/**
 * The Gemini API; its Python library writes the names in snake case. The content that follows function calls has as many function responses
 * as there are calls, with their names, and with their ids where they have any (https://ai.google.dev/gemini-api/docs/function-calling).
 */
export function geminiShape(isSnakeCase: boolean): BlockShape {
  const response = isSnakeCase ? 'function_response' : 'functionResponse';
  return {
    list: 'parts',
    modelRole: 'model',
    isOrdered: false,

    read(part): Block {
      const members = membersOf(part);
      const call = members.get('functionCall') ?? members.get('function_call');
      if (call !== undefined) return { kind: 'call', ...headOf(call), args: membersOf(call).get('args') ?? null };
      const answer = members.get('functionResponse') ?? members.get('function_response');
      if (answer !== undefined) return { kind: 'result', ...headOf(answer) };
      return { kind: members.has('text') ? 'text' : 'other' };
    },

    // `output` and `error` are the keys that the API documents for what is no object of its own.
    result({ id, name }, { json, isError }) {
      const head = `${id === null ? '' : `"id":${JSON.stringify(id)},`}"name":${JSON.stringify(name ?? '')}`;
      return Buffer.from(`{"${response}":{${head},"response":{"${isError ? 'error' : 'output'}":${json}}}}`);
    },

    text: (text) => Buffer.from(JSON.stringify({ text })),
  };
}

function headOf(call: Buffer): { id: string | null; name: string | null } {
  const members = membersOf(call);
  return { id: nameOf(members.get('id')), name: nameOf(members.get('name')) };
}
