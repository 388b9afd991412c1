import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { errorCode } from '../../common/error-code.js';
import { CliError } from '../cli-error.js';

export const ENGINES = ['docker', 'podman'] as const;

export type EngineName = (typeof ENGINES)[number];

export interface EngineAnswer {
  /** 127 if there is no such program. */
  code: number;
  stdout: string;
  stderr: string;
}

const NOT_FOUND = 127;
const LABEL_PREFIX = /^(error( response from daemon)?|docker|podman): */i;

/** Docker or podman, by its command line. Everybody on the machine can see arguments: they must not contain secrets. */
export class Engine {
  constructor(readonly name: EngineName) {}

  /**
   * Returns the result, even if the command fails.
   * @param isShielded whether Ctrl+C on the terminal does not end the command
   */
  ask(args: readonly string[], { isShielded = false } = {}): Promise<EngineAnswer> {
    // The terminal sends Ctrl+C to the whole group of this process.
    const child = spawn(this.name, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: isShielded });
    const answer = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (answer.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (answer.stderr += text));
    return new Promise((resolve, reject) => {
      child.once('error', (error) => {
        if (errorCode(error) === 'ENOENT') resolve({ ...answer, code: NOT_FOUND });
        else reject(error);
      });
      child.once('close', (code) => resolve({ ...answer, code: code ?? 1 }));
    });
  }

  /**
   * Standard output of a command that must succeed.
   * @param options as `ask`
   * @throws CliError with what the engine says
   */
  async tell(args: readonly string[], options: { isShielded?: boolean } = {}): Promise<string> {
    const answer = await this.ask(args, options);
    if (answer.code === 0) return answer.stdout.trim();
    throw new CliError(`${this.name} ${args[0]} failed: ${complaintOf(answer)}`);
  }

  /** Gives each line that a command prints, until `end` is called; Ctrl+C on the terminal does not end it. */
  follow(args: readonly string[], onLine: (line: string) => void): { end(): void } {
    const child = spawn(this.name, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine);
    // What it would have said is missing then, and nothing else.
    child.once('error', () => undefined);
    return { end: () => void child.kill() };
  }

  /** Runs a command whose output goes straight to the terminal. Answers its exit code. */
  show(args: readonly string[]): Promise<number> {
    const child = spawn(this.name, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve(code ?? 1));
    });
  }
}

/** An engine's message about a failure, in one line. */
export function complaintOf({ code, stderr }: EngineAnswer): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  // Podman writes warnings before it, docker a hint behind it.
  const told = lines.filter((line) => !/level=(warning|info)|^see '|^run '/i.test(line));
  return (told.at(-1) ?? lines.at(-1) ?? `exit code ${code}`).replace(LABEL_PREFIX, '').trim();
}

export function isMissing({ code }: EngineAnswer): boolean {
  return code === NOT_FOUND;
}
