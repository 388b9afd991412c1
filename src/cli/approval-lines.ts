import type { ApprovalRecord } from './approval-record.js';
import { printable } from './printable.js';
import type { Style } from './style.js';
import { wrapped } from './text-width.js';

/** The calls that wait for a person, and the command that decides them. */
export function waitingLines(
  { calls, trace_id, step }: ApprovalRecord,
  width: number | undefined,
  style: Style,
): string[] {
  const lines = calls.flatMap(({ name, args }) => [
    ...wrapped(`${printable(name ?? '-')}(${printable(args)})`, width && width - 2),
  ]);
  const command = `waystation approve ${printable(trace_id)} ${step}`;
  return [style.yellow('Waits for a person:'), ...[...lines, command].map((line) => `  ${line}`)];
}
