import { createInterface } from 'node:readline';
import { Writable, type Readable } from 'node:stream';
import { CliError } from './cli-error.js';

export interface AskOptions {
  question: string;
  /** Does not echo the input: for secrets. */
  isHidden: boolean;
}

/**
 * Asks the person at the keyboard one question and answers what was typed, without the line end.
 * @throws CliError when the person stops instead
 */
export async function ask({ question, isHidden }: AskOptions, input: Readable, output: Writable): Promise<string> {
  const prompt = `${question}: `;
  const silence = new Writable({ write: (_chunk, _encoding, done) => done() });
  // The reader needs the question: it rewrites the line when the user deletes something.
  const reader = createInterface({ input, output: isHidden ? silence : output, prompt, terminal: true });
  if (isHidden) output.write(prompt);
  else reader.prompt();
  try {
    return await new Promise<string>((resolve, reject) => {
      reader.once('line', resolve);
      reader.once('SIGINT', () => reject(new CliError('Stopped.')));
      reader.once('close', () => reject(new CliError('Stopped: nothing was typed.')));
    });
  } finally {
    reader.close();
    if (isHidden) output.write('\n');
  }
}
