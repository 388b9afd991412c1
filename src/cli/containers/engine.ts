import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { errorCode } from '../../common/error-code.js';
import { trimEndOf } from '../../common/trim-end.js';
import { CliError } from '../cli-error.js';

export const ENGINES = ['docker', 'podman'] as const;

export type EngineName = (typeof ENGINES)[number];

export interface EngineResult {
  /** 127 if the program is not installed. */
  code: number;
  stdout: string;
  stderr: string;
}

const NOT_FOUND = 127;
const NO_CONTAINER = ['ps', '--quiet', '--filter', 'label=waystation.none'];
const LABEL_PREFIX = /^(error( response from daemon)?|docker|podman): */i;

/** Docker or podman, by its command line. All users of the machine can see arguments: they must not contain secrets. */
export class Engine {
  constructor(readonly name: EngineName) {}

  /**
   * Returns the result, even if the command fails.
   * @param ignoresInterrupt whether the command survives Ctrl+C on the terminal
   */
  run(args: readonly string[], { ignoresInterrupt = false } = {}): Promise<EngineResult> {
    // The terminal sends Ctrl+C to this process's whole group.
    const child = spawn(this.name, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: ignoresInterrupt });
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
    return new Promise((resolve, reject) => {
      child.once('error', (error) => {
        if (errorCode(error) === 'ENOENT') resolve({ ...output, code: NOT_FOUND });
        else reject(error);
      });
      child.once('close', (code) => resolve({ ...output, code: code ?? 1 }));
    });
  }

  /**
   * Standard output of a command that must succeed.
   * @param options as `run`
   * @throws CliError with the engine's message
   */
  async output(args: readonly string[], options: { ignoresInterrupt?: boolean } = {}): Promise<string> {
    const result = await this.run(args, options);
    if (result.code === 0) return result.stdout.trim();
    throw new CliError(`${this.name} ${args[0]} failed: ${errorMessageOf(result)}`);
  }

  /** Passes on each line that a command prints, until `end` is called. Ctrl+C on the terminal does not end it. */
  follow(args: readonly string[], onLine: (line: string) => void): { end(): void } {
    const child = spawn(this.name, args, { stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    for (const input of [child.stdout, child.stderr]) createInterface({ input }).on('line', onLine);
    // Without the program, only its output is missing.
    child.once('error', () => undefined);
    return { end: () => void child.kill() };
  }

  /** Runs a command whose output goes straight to the terminal. Returns its exit code. */
  runVisibly(args: readonly string[]): Promise<number> {
    const child = spawn(this.name, args, { stdio: ['ignore', 'inherit', 'inherit'] });
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve(code ?? 1));
    });
  }
}

/** An engine's message about a failure, in one line. */
export function errorMessageOf({ code, stderr }: EngineResult): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  // Podman prints warnings before the message, docker a hint after it.
  const told = lines.filter((line) => !/level=(warning|info)|^see '|^run '/i.test(line));
  return (told.at(-1) ?? lines.at(-1) ?? `exit code ${code}`).replace(LABEL_PREFIX, '').trim();
}

export function isNotInstalled({ code }: EngineResult): boolean {
  return code === NOT_FOUND;
}

/**
 * The named engine, otherwise the first that works.
 * @throws CliError that says what is missing
 */
export async function chooseEngine(wanted: EngineName | undefined): Promise<Engine> {
  const [engine] = await workingEngines(wanted);
  return engine!;
}

/**
 * The named engine, otherwise all that work: at least one.
 * @throws CliError that says what is missing
 */
export async function workingEngines(wanted: EngineName | undefined): Promise<Engine[]> {
  const names = wanted === undefined ? ENGINES : [wanted];
  const engines = names.map((name) => new Engine(name));
  const states = await Promise.all(engines.map(async (engine) => ({ engine, fault: await faultOf(engine) })));
  const working = states.filter(({ fault }) => fault === null).map(({ engine }) => engine);
  if (working.length > 0) return working;
  const broken = states.flatMap(({ engine, fault }) =>
    fault ? [`${engine.name} is here but does not work: ${fault}`] : [],
  );
  if (broken.length > 0) throw new CliError(`${broken.join('; ')}. Start it, or name another engine with --engine.`);
  if (wanted !== undefined) {
    throw new CliError(`There is no ${wanted} on this machine. Install it, or omit --engine to use another.`);
  }
  throw new CliError(
    'There is neither docker nor podman on this machine. Install one of them, or run the agents without a container: waystation agent FILE',
  );
}

/** Null if the engine works, empty if it is missing, otherwise its message. A client without a daemon is installed but useless. */
async function faultOf(engine: Engine): Promise<string | null> {
  const result = await engine.run(NO_CONTAINER);
  if (result.code === 0) return null;
  return isNotInstalled(result) ? '' : trimEndOf(errorMessageOf(result), '.?');
}
