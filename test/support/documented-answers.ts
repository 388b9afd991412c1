import type { Answer } from './api-client.js';

/** Defined in test/support/setup/documented.mjs and provided to each file by the test environment. */
declare const WAYSTATION_FAULT_IN: (method: string, target: string, answer: Answer) => string | null;

/**
 * Checks a response against docs/openapi.json: its status, media type and schema, without undocumented members.
 * Throws if they differ. Responses to requests without a documented route must be problems.
 */
export function checkDocumented(method: string, target: string, answer: Answer): void {
  const fault = WAYSTATION_FAULT_IN(method, target, answer);
  if (fault !== null) throw new Error(fault);
}
