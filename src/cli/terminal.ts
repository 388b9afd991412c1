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
  /** Resolves once a slow reader has taken the output, so that a long one is not buffered in memory. */
  drained?(): Promise<unknown>;
  /** Shows a line that the next one replaces; an empty one removes it. Undefined if standard error is not a terminal. */
  readonly progress?: (line: string) => void;
  /** Screen columns; undefined without a screen: then nothing may be cut. */
  readonly width?: number;
  /** Whether results may have colours. */
  readonly isColoured?: boolean;
  /** Prompts; undefined if no person can read and answer them. */
  readonly keyboard?: Keyboard;
}

export interface Keyboard {
  ask(options: AskOptions): Promise<string>;
  /** Asks a yes-or-no question. */
  confirm(options: ConfirmOptions): Promise<boolean>;
  /** Returns the index of the choice. */
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
  /** Questions go to the terminal, wherever results go. Their package is loaded for the first one. */
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

/** Prints rows in columns. Loaded only now: measuring texts needs Unicode tables, which most commands do not. */
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
