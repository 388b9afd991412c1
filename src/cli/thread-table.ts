import { dollars } from './amounts.js';
import { ageOf } from './approvals.command.js';
import { printable } from './printable.js';
import { paintStatus, styleOf } from './style.js';
import { fittingTable, table, type Terminal } from './terminal.js';
import { cut, textWidth } from './text-width.js';

/** The members of an item of the list of threads that a row shows. */
export interface ListedThread {
  thread_id: string;
  status: string;
  agent_id: string;
  step_index: number;
  total_cost_usd: number;
  updated_at: string;
}

const HEADING = ['THREAD', 'STATUS', 'AGENT', 'STEP', 'COST', 'CHANGED'];
const STATUS_COLUMN = 1;
const AGENT_WIDTH = 20;
const MIN_ID_WIDTH = 8;

/** A row for each thread below a heading; on a screen that is too narrow for it a paragraph each. */
export function threadTable(
  threads: readonly ListedThread[],
  { width, isColoured }: Pick<Terminal, 'width' | 'isColoured'>,
): string {
  const rows = threads.map((thread) => rowOf(thread, Date.now()));
  const style = styleOf({ isColoured });
  const paint = (cell: string, column: number) =>
    column === STATUS_COLUMN ? cell.replace(/\S+/, (status) => paintStatus(status, style)) : cell;
  const cells = fitted(rows, width);
  const isTooWide = table(HEADING, cells)
    .split('\n')
    .some((line) => textWidth(line) > (width ?? Infinity));
  if (isTooWide) return fittingTable(HEADING, rows, { width, isColoured });
  return table(HEADING, cells, { isColoured, paint });
}

function rowOf(thread: ListedThread, nowMs: number): string[] {
  const { thread_id, status, agent_id, step_index, total_cost_usd, updated_at } = thread;
  const agent = cut(printable(agent_id), AGENT_WIDTH);
  const age = `${ageOf(updated_at, nowMs)} ago`;
  return [printable(thread_id), printable(status), agent, String(step_index), dollars(total_cost_usd), age];
}

/** Cuts only ids to the width of the screen: their beginnings are enough for other commands. */
function fitted(rows: readonly string[][], width: number | undefined): string[][] {
  if (width === undefined) return [...rows];
  const others = HEADING.slice(1).map((head, column) =>
    Math.max(...[head, ...rows.map((row) => row[column + 1]!)].map(textWidth)),
  );
  const left = width - others.reduce((sum, one) => sum + one + 2, 0);
  return rows.map(([id, ...rest]) => [cut(id!, Math.max(left, MIN_ID_WIDTH)), ...rest]);
}
