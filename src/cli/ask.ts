import { createInterface } from 'node:readline';
import { Writable, type Readable } from 'node:stream';
import { CliError } from './cli-error.js';

export interface AskOptions {
  question: string;
  /** What is typed is not shown: for secrets. */
  isHidden: boolean;
}

/**
 * Asks the person at the keyboard one question and answers what was typed, without the line end.
 * @throws CliError when the person stops instead
 */
export async function ask({ question, isHidden }: AskOptions, input: Readable, output: Writable): Promise<string> {
  output.write(`${question}: `);
  const echo = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (!isHidden) output.write(chunk);
      done();
    },
  });
  const reader = createInterface({ input, output: echo, terminal: true });
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
