import { ConfigError } from '../../config/config-error.js';
import { readHookRun } from './hook-options.js';
import { runHook } from './hook-run.js';

/** Coding agents do not take it for a decision. Exit code 2 would block the tool call. */
const FAILED = 1;

/** Runs `waystation hook run` as this process, until it ends. */
export async function runHookProcess(args: readonly string[]): Promise<never> {
  const { output, errorMessage, exitCode } = await outcomeOf(args);
  if (errorMessage !== null) process.stderr.write(`${errorMessage}\n`);
  if (output !== null) await new Promise((resolve) => process.stdout.write(`${output}\n`, resolve));
  process.exit(exitCode);
}

async function outcomeOf(args: readonly string[]) {
  try {
    return { ...(await runHook(readHookRun(args))), exitCode: 0 };
  } catch (error) {
    return { output: null, errorMessage: messageOf(error), exitCode: FAILED };
  }
}

function messageOf(error: unknown): string {
  if (error instanceof ConfigError) return error.faults.map(({ name, rule }) => `${name}: ${rule}`).join('; ');
  return error instanceof Error ? error.message : String(error);
}
