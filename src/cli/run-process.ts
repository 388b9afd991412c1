// Nest needs it before its first file runs, and a bundle's parts do not load in the order of their imports.
import 'reflect-metadata';
import { exitOnClosedPipe, flushOutput } from './output-streams.js';
import { runCli } from './program.js';

/** Runs one command, then ends this process. */
export async function runProcess(args: readonly string[]): Promise<never> {
  exitOnClosedPipe();
  const exitCode = await runCli(args);
  await flushOutput();
  process.exit(exitCode);
}
