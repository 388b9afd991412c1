import { endWithReader, outputWritten } from './output-reader.js';
import { runCli } from './program.js';

/** Runs one command as this process, to its end. */
export async function runProcess(args: readonly string[]): Promise<never> {
  endWithReader();
  const exitCode = await runCli(args);
  await outputWritten();
  process.exit(exitCode);
}
