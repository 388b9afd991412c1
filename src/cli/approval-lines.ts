import { launchContext } from '../config/env.js';
import { callText, type ApprovalCall, type ApprovalRecord } from './approval-record.js';
import { printable } from './printable.js';
import { paintStatus, type Style } from './style.js';
import { wrapLines } from './text-width.js';

/** The pending calls, and the command that decides them. */
export function waitingLines(
  { calls, trace_id, step }: ApprovalRecord,
  width: number | undefined,
  style: Style,
): string[] {
  const lines = calls.flatMap((call) => callLines(call, width));
  const command = `${launchContext().command} approve ${printable(trace_id)} ${step}`;
  return [style('yellow', 'Waits for a person:'), ...[...lines, command].map((line) => `  ${line}`)];
}

/** The outcome of a step's approval, and who decided it. */
export function decidedLine({ status, decided_by, reason, trace_id, step }: ApprovalRecord, style: Style): string {
  const by = decided_by === null ? '' : ` by ${printable(decided_by)}`;
  const why = reason === null ? '' : `: ${printable(reason)}`;
  return `Step ${step} of ${printable(trace_id)}: ${paintStatus(printable(status), style)}${by}${why}`;
}

/** The same with the calls; each with its own decision if these differ. */
export function decidedLines(approval: ApprovalRecord, width: number | undefined, style: Style): string[] {
  const isMixed = new Set(approval.calls.map(({ decision }) => decision)).size > 1;
  const lines = approval.calls.flatMap((call) =>
    callLines(call, width).map((line, index) => (index === 0 && isMixed ? `${call.decision ?? '-'}: ${line}` : line)),
  );
  return [decidedLine(approval, style), ...lines.map((line) => `  ${line}`)];
}

function callLines(call: ApprovalCall, width: number | undefined): string[] {
  return [...wrapLines(callText(call), width && width - 2)];
}
