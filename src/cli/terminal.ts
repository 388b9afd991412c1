import { once } from 'node:events';
import { isColourWanted } from '../config/env.js';
import { ask, type AskOptions } from './ask.js';
import { pick, type PickOptions } from './pick.js';
import { styleOf } from './style.js';
import { padEnd, textWidth, wrapped } from './text-width.js';

/** Output of the command line. */
export interface Terminal {
  /** Results: standard output. */
  print(line: string): void;
  /** Everything else: standard error. */
  complain(line: string): void;
  /** Resolves when a slow reader has taken what was printed, so that a long output need not be kept. */
  drained?(): Promise<unknown>;
  /** Shows a line that the next one replaces; an empty one removes it. Undefined if nobody looks at standard error. */
  readonly progress?: (line: string) => void;
  /** Columns of the screen; undefined if there is no screen, and nothing must be cut. */
  readonly width?: number;
  /** Whether results may have colours. */
  readonly isColoured?: boolean;
  /** Asks the person at the keyboard; undefined if there is none. */
  readonly ask?: (options: AskOptions) => Promise<string>;
  /** Lets that person choose; undefined if there is none. */
  readonly pick?: (options: PickOptions) => Promise<number>;
}

export const TERMINAL: Terminal = {
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
  drained: async () => process.stdout.writableNeedDrain && once(process.stdout, 'drain'),
  get progress() {
    if (!process.stderr.isTTY) return undefined;
    return (line: string) => void process.stderr.write(`\r\x1b[K${line}`);
  },
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
  get pick() {
    const { stdin, stderr } = process;
    if (!stdin.isTTY || !stderr.isTTY) return undefined;
    return (options: PickOptions) => pick(options, stdin, stderr, isColourWanted(true));
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

/** The same; on a screen that is too narrow for it each row is a paragraph, headed by its first cell. */
export function fittingTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
  { width, isColoured }: Pick<Terminal, 'width' | 'isColoured'>,
): string {
  const columns = table(heading, rows);
  if (width === undefined || columns.split('\n').every((line) => textWidth(line) <= width)) {
    return table(heading, rows, { isColoured });
  }
  return rows
    .map(([first, ...cells]) => {
      const facts = cells.map((cell, index) => `${heading[index + 1]!.toLowerCase()} ${cell}`).join(', ');
      return [first, ...[...wrapped(facts, width - 2)].map((line) => `  ${line}`)].join('\n');
    })
    .join('\n');
}

export interface TableOptions {
  isColoured?: boolean;
  paint?: (cell: string, column: number) => string;
}
