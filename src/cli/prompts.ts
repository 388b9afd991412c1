import { confirm as confirmPrompt, input as inputPrompt, password, select } from '@inquirer/prompts';
import type { Key } from 'node:readline';
import { CliError } from './cli-error.js';
import { truncate } from './text-width.js';

export interface AskOptions {
  question: string;
  /** Does not echo the input; for secrets. */
  isHidden?: boolean;
}

export interface ConfirmOptions {
  question: string;
  /** The answer if the person only presses Enter. */
  isDefault: boolean;
}

export interface PickOptions {
  question: string;
  /** Per choice: its line in the list, then lines shown below the list while it is selected. */
  choices: readonly (readonly [line: string, ...details: string[]])[];
}

/** The terminal of the person; standard output may lead elsewhere. */
export interface PromptStreams {
  input: NodeJS.ReadableStream;
  output: NodeJS.WritableStream & { readonly columns?: number; readonly rows?: number };
}

type Context = Parameters<typeof inputPrompt>[1];

const INTERRUPTED = 130;
const HINT = 'arrow keys or a number; Enter or Esc';
/** Maximum of extra lines shown for the selected choice. */
export const MAX_DETAILS = 6;
/** Lines for the question, the hint, and the blank line between the list and the details. */
const FRAME_LINES = 4;

/**
 * Asks the person at the keyboard one question.
 * @returns what was typed, without the line end
 * @throws CliError when the person leaves; with exit code 130 at Ctrl-C
 */
export function ask({ question, isHidden }: AskOptions, streams: PromptStreams): Promise<string> {
  const prompt = isHidden ? password : inputPrompt;
  const asking = (context: Context) => prompt({ message: `${question}:` }, context);
  return cancellable(asking, streams, 'Stopped: nothing was typed.');
}

/** Asks a yes-or-no question. @throws CliError as `ask` */
export function confirm({ question, isDefault }: ConfirmOptions, streams: PromptStreams): Promise<boolean> {
  const asking = (context: Context) => confirmPrompt({ message: question, default: isDefault }, context);
  return cancellable(asking, streams, 'Nothing is decided.');
}

/** Asks the person to choose one of several. @returns the index of the choice @throws CliError as `ask` */
export function pick({ question, choices }: PickOptions, streams: PromptStreams): Promise<number> {
  const { columns = 80, rows = 24 } = streams.output;
  // The cursor takes two columns; a line as wide as the screen would wrap.
  const width = columns - 3;
  const numberWidth = String(choices.length).length;
  const config = {
    message: truncate(question, width),
    choices: choices.map(([line, ...details], index) => ({
      value: index,
      name: truncate(`${String(index + 1).padStart(numberWidth)}  ${line}`, width),
      description: details
        .slice(0, MAX_DETAILS)
        .map((detail) => truncate(`${' '.repeat(numberWidth + 4)}${detail}`, width))
        .join('\n'),
    })),
    loop: false,
    pageSize: Math.max(3, rows - FRAME_LINES - MAX_DETAILS),
    theme: {
      prefix: '',
      icon: { cursor: '>' },
      // With these, letters move instead of searching.
      keybindings: ['vim' as const],
      style: { keysHelpTip: () => truncate(HINT, width), description: (text: string) => text },
    },
  };
  const asking = (context: Context) => select(config, { ...context, clearPromptOnDone: true });
  return cancellable(asking, streams, 'Nothing is decided.');
}

/** The prompts end only at Ctrl-C; without this they would wait forever when the input ends. */
async function cancellable<Value>(
  prompt: (context: Context) => Promise<Value>,
  { input, output }: PromptStreams,
  words: string,
): Promise<Value> {
  const leaving = new AbortController();
  const leave = () => leaving.abort();
  const onKey = (_text: string | undefined, { name, ctrl }: Key) => {
    if (name === 'escape' || (ctrl && name === 'd')) leave();
  };
  input.on('keypress', onKey).once('end', leave);
  try {
    return await prompt({ input, output, signal: leaving.signal });
  } catch (error) {
    if (leaving.signal.aborted) throw new CliError(words);
    if (error instanceof Error && error.name === 'ExitPromptError') throw new CliError('Stopped.', INTERRUPTED);
    throw error;
  } finally {
    input.off('keypress', onKey).off('end', leave);
  }
}
