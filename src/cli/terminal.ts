import { ask, type AskOptions } from './ask.js';

/** Output of the command line. */
export interface Terminal {
  /** Results: standard output. */
  print(line: string): void;
  /** Everything else: standard error. */
  complain(line: string): void;
  /** Columns of the screen; undefined if there is no screen, and nothing must be cut. */
  readonly width?: number;
  /** Asks the person at the keyboard; undefined if there is none. */
  readonly ask?: (options: AskOptions) => Promise<string>;
}

export const TERMINAL: Terminal = {
  print: (line) => void process.stdout.write(`${line}\n`),
  complain: (line) => void process.stderr.write(`${line}\n`),
  get width() {
    return process.stdout.columns;
  },
  get ask() {
    if (!process.stdin.isTTY) return undefined;
    return (options: AskOptions) => ask(options, process.stdin, process.stderr);
  },
};

/** Rows as columns, with a heading. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
