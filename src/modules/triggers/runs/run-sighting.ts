import { RUN_STATUS } from '../../../common/contract/run-status.js';
import { cutText } from '../../../common/cut-text.js';

/** What is seen of a run while its program is at work, or soon after. */
export interface RunSighting {
  status: string;
  /** Names of the pending tool calls, as far as they have any. */
  tools: readonly string[];
  costUsd: number;
  /** As reported, of any shape. */
  error?: unknown;
  /** Whether the program printed it just now. What the server answers may be older. */
  isPrinted: boolean;
}

/** Reads a checkpoint: an answer of `latest`, or what a program printed. */
export function sightingOf(checkpoint: Readonly<Record<string, unknown>>): RunSighting {
  const { status, pending_tool_calls: calls, run_cost_usd: cost, error } = checkpoint;
  return {
    status: typeof status === 'string' ? status : '',
    tools: Array.isArray(calls) ? calls.flatMap(nameOf) : [],
    costUsd: typeof cost === 'number' && Number.isFinite(cost) ? cost : 0,
    error,
    isPrinted: false,
  };
}

/** Of an event that a program printed. */
export function printedSighting(type: string, data: Readonly<Record<string, unknown>>): RunSighting {
  const sighting = { ...sightingOf(data), isPrinted: true };
  return type === 'thread_error' ? { ...sighting, status: RUN_STATUS.error } : sighting;
}

/** The message of a reported error; its JSON where it has none. */
export function errorText(error: unknown, maxLength: number): string {
  const { message } = (error ?? {}) as { message?: unknown };
  const text =
    typeof message === 'string' ? message : typeof error === 'string' ? error : JSON.stringify(error ?? null);
  return cutText(text, maxLength);
}

function nameOf(call: unknown): string[] {
  const { name, tool_name, function: inner } = (call ?? {}) as Record<string, unknown>;
  const innerName = (inner as { name?: unknown } | undefined)?.name;
  const found = [name, tool_name, innerName].find((text) => typeof text === 'string');
  return found === undefined ? [] : [String(found)];
}
