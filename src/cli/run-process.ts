// The framework needs it before its own first file runs, and the parts of a bundle are not loaded in the order of their imports.
import 'reflect-metadata';
import { exitOnClosedPipe, flushOutput } from './output-streams.js';
import { runCli } from './program.js';

/** Runs one command as this process, until it ends. */
export async function runProcess(args: readonly string[]): Promise<never> {
  exitOnClosedPipe();
  const exitCode = await runCli(args);
  await flushOutput();
  process.exit(exitCode);
}
