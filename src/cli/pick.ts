import { emitKeypressEvents, type Key } from 'node:readline';
import type { ReadStream } from 'node:tty';
import { CliError } from './cli-error.js';
import { styleOf } from './style.js';
import { cut } from './text-width.js';

export interface PickOptions {
  question: string;
  /** One entry each: a line, and below it others that are shown while it is the chosen one. */
  choices: readonly (readonly [line: string, ...details: string[]])[];
}

export interface PickScreen {
  write(text: string): unknown;
  readonly columns?: number;
  readonly rows?: number;
}

const HINT = 'arrow keys or a number; Enter or Esc';
const INTERRUPTED = 130;
/** Lines that are shown of the chosen one below its first. */
export const MAX_DETAILS = 6;
/** Lines for the question, the hint, and what tells that there is more above and below. */
const FRAME_LINES = 4;

/**
 * Lets the person at the keyboard choose one of several. The keyboard is as before when it ends, however it ends.
 * @returns the index of the chosen one
 * @throws CliError when the person leaves; with exit code 130 at Ctrl-C
 */
export async function pick(
  options: PickOptions,
  input: ReadStream,
  screen: PickScreen,
  isColoured: boolean,
): Promise<number> {
  const picker = new Picker(options, screen, isColoured);
  emitKeypressEvents(input);
  const wasRaw = input.isRaw;
  let onKey: ((text: string | undefined, key: Key) => void) | undefined;
  try {
    input.setRawMode(true);
    input.resume();
    picker.draw();
    return await new Promise<number>((resolve, reject) => {
      onKey = (text, key) => {
        if (key.ctrl && (key.name === 'c' || key.name === 'd')) reject(new CliError('Stopped.', INTERRUPTED));
        else if (key.name === 'escape' || text === 'q') reject(new CliError('Nothing is decided.'));
        else if (key.name === 'return' || key.name === 'enter') resolve(picker.chosen);
        else picker.move(text, key);
      };
      input.on('keypress', onKey);
      input.once('end', () => reject(new CliError('Stopped: nothing was chosen.')));
    });
  } finally {
    if (onKey) input.off('keypress', onKey);
    input.setRawMode(wasRaw);
    input.pause();
    picker.erase();
  }
}

class Picker {
  chosen = 0;
  private typed = '';
  private drawnLines = 0;

  constructor(
    private readonly options: PickOptions,
    private readonly screen: PickScreen,
    private readonly isColoured: boolean,
  ) {}

  move(text: string | undefined, { name }: Key): void {
    const last = this.options.choices.length - 1;
    const isDigit = text !== undefined && /^\d$/.test(text);
    if (isDigit) this.chosen = this.numbered(text);
    else this.typed = '';
    if (name === 'up' || text === 'k') this.chosen = Math.max(0, this.chosen - 1);
    if (name === 'down' || text === 'j') this.chosen = Math.min(last, this.chosen + 1);
    if (name === 'home' || name === 'pageup') this.chosen = 0;
    if (name === 'end' || name === 'pagedown') this.chosen = last;
    this.draw();
  }

  draw(): void {
    const lines = this.lines();
    this.screen.write(`${this.eraseText()}${lines.join('\r\n')}\r\n`);
    this.drawnLines = lines.length;
  }

  erase(): void {
    this.screen.write(this.eraseText());
    this.drawnLines = 0;
  }

  private eraseText(): string {
    return this.drawnLines === 0 ? '' : `\u001b[${this.drawnLines}A\r\u001b[0J`;
  }

  /** Digits typed one after the other make one number, as long as there is such an entry. */
  private numbered(digit: string): number {
    const { length } = this.options.choices;
    const isOne = (digits: string) => Number(digits) >= 1 && Number(digits) <= length;
    this.typed = [this.typed + digit, digit].find(isOne) ?? '';
    return this.typed === '' ? this.chosen : Number(this.typed) - 1;
  }

  private lines(): string[] {
    const { bold, dim, cyan } = styleOf({ isColoured: this.isColoured });
    const { question, choices } = this.options;
    // A line as wide as the screen would begin another, and more would be on it than was counted.
    const width = (this.screen.columns ?? 80) - 1;
    const numberWidth = String(choices.length).length;
    const details = choices[this.chosen]!.slice(1, 1 + MAX_DETAILS);
    const room = Math.max(3, (this.screen.rows ?? 24) - FRAME_LINES - details.length);
    const from = Math.max(0, Math.min(this.chosen - Math.floor(room / 2), choices.length - room));
    const shown = choices.slice(from, from + room).flatMap(([line], offset) => {
      const index = from + offset;
      const text = cut(
        `${index === this.chosen ? '>' : ' '} ${String(index + 1).padStart(numberWidth)}  ${line}`,
        width,
      );
      if (index !== this.chosen) return [text];
      return [cyan(text), ...details.map((detail) => cut(`${' '.repeat(numberWidth + 4)}${detail}`, width))];
    });
    const above = from > 0 ? [dim(`  ${from} more above`)] : [];
    const left = choices.length - from - room;
    const below = left > 0 ? [dim(`  ${left} more below`)] : [];
    return [bold(cut(question, width)), ...above, ...shown, ...below, dim(cut(HINT, width))];
  }
}
