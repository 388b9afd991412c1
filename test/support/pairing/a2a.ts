import { objectsOf, type JsonObject } from './faults.js';

/**
 * What is not a message of the A2A protocol, which knows no tool calls: https://a2a-protocol.org/latest/specification/#64-message-object.
 */
export function a2aFaults(messages: readonly JsonObject[]): string[] {
  return messages.flatMap(({ kind, messageId, role, parts }, i) => {
    const faults: string[] = [];
    if (kind !== 'message' || typeof messageId !== 'string') faults.push('no message');
    if (role !== 'user' && role !== 'agent') faults.push('no role');
    if (objectsOf(parts).length === 0) faults.push('no parts');
    const strange = objectsOf(parts).filter((part) => !['text', 'file', 'data'].includes(String(part.kind)));
    return [...faults, ...strange.map((part) => `the part ${String(part.kind)}`)].map(
      (fault) => `messages.${i}: ${fault}`,
    );
  });
}
