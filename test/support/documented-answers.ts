import type { Answer } from './api-client.js';

/** Of test/support/setup/documented.mjs, which the environment of the tests hands to each file. */
declare const WAYSTATION_FAULT_IN: (method: string, target: string, answer: Answer) => string | null;

/**
 * Holds an answer of the API against docs/openapi.json: its status, media type and schema, without undocumented members.
 * Throws where they differ. Answers to requests that no documented route takes must be problems.
 */
export function checkDocumented(method: string, target: string, answer: Answer): void {
  const fault = WAYSTATION_FAULT_IN(method, target, answer);
  if (fault !== null) throw new Error(fault);
}
