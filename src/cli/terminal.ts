import { once } from 'node:events';
import { isColourWanted } from '../config/env.js';
import type { AskOptions, ConfirmOptions, PickOptions } from './prompts.js';
import type { Column, TableOptions } from './table.js';

/** Output of the command line. */
export interface Terminal {
  /** Results: standard output. */
  print(line: string): void;
  /** Everything else: standard error. */
  printError(line: string): void;
  /** Resolves when a slow reader has taken what was printed, so that a long output need not be kept. */
  drained?(): Promise<unknown>;
  /** Shows a line that the next one replaces; an empty one removes it. Undefined if nobody looks at standard error. */
  readonly progress?: (line: string) => void;
  /** Columns of the screen; undefined if there is no screen, and nothing must be cut. */
  readonly width?: number;
  /** Whether results may have colours. */
  readonly isColoured?: boolean;
  /** Questions to a person; undefined if nobody is there to read and to answer them. */
  readonly keyboard?: Keyboard;
}

export interface Keyboard {
  ask(options: AskOptions): Promise<string>;
  /** For yes or no. */
  confirm(options: ConfirmOptions): Promise<boolean>;
  /** Answers the index of the chosen one. */
  pick(options: PickOptions): Promise<number>;
}

export const TERMINAL: Terminal = {
  print: (line) => void process.stdout.write(`${line}\n`),
  printError: (line) => void process.stderr.write(`${line}\n`),
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
  /** Questions stay on the terminal, wherever results go. Their package is loaded when the first one is asked. */
  get keyboard() {
    const streams = { input: process.stdin, output: process.stderr };
    if (!streams.input.isTTY || !streams.output.isTTY) return undefined;
    const prompts = () => import('./prompts.js');
    return {
      ask: async (options: AskOptions) => (await prompts()).ask(options, streams),
      confirm: async (options: ConfirmOptions) => (await prompts()).confirm(options, streams),
      pick: async (options: PickOptions) => (await prompts()).pick(options, streams),
    };
  },
};

/** Prints rows in columns. Loaded only now: measuring texts takes tables of Unicode, for which most commands need not wait. */
export async function printTable(
  terminal: Terminal,
  columns: readonly (Column | string)[],
  rows: readonly (readonly string[])[],
  options?: Pick<TableOptions, 'canOverflow'>,
): Promise<void> {
  const { table } = await import('./table.js');
  const { width, isColoured } = terminal;
  terminal.print(table(columns, rows, { width, isColoured, ...options }));
}
