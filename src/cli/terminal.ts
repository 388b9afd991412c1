import { isColourWanted } from '../config/env.js';
import { ask, type AskOptions } from './ask.js';
import { styleOf } from './style.js';
import { padEnd, textWidth } from './text-width.js';

/** Output of the command line. */
export interface Terminal {
  /** Results: standard output. */
  print(line: string): void;
  /** Everything else: standard error. */
  complain(line: string): void;
  /** Columns of the screen; undefined if there is no screen, and nothing must be cut. */
  readonly width?: number;
  /** Whether results may have colours. */
  readonly isColoured?: boolean;
  /** Asks the person at the keyboard; undefined if there is none. */
  readonly ask?: (options: AskOptions) => Promise<string>;
}

export const TERMINAL: Terminal = {
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
  get width() {
    return process.stdout.columns;
  },
  get isColoured() {
    return isColourWanted(process.stdout.isTTY === true);
  },
  get ask() {
    if (!process.stdin.isTTY) return undefined;
    return (options: AskOptions) => ask(options, process.stdin, process.stderr);
  },
};

/** Rows as columns, with a heading. `paint` may colour a cell, which is then already as wide as its column. */
export function table(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  { isColoured, paint = (cell) => cell }: TableOptions = {},
): string {
  const widths = heading.map((head, column) =>
    Math.max(...[head, ...rows.map((row) => row[column] ?? '')].map(textWidth)),
  );
  const lineOf = (row: readonly string[], look: (cell: string, column: number) => string) =>
    row
      .map((cell, column) => look(column === row.length - 1 ? cell : padEnd(cell, widths[column] ?? 0), column))
      .join('  ')
      .trimEnd();
  const { dim } = styleOf({ isColoured });
  return [lineOf(heading, dim), ...rows.map((row) => lineOf(row, paint))].join('\n');
}

export interface TableOptions {
  isColoured?: boolean;
  paint?: (cell: string, column: number) => string;
}
