import { errorCode } from '../common/error-code.js';

const STREAMS = [process.stdout, process.stderr];
let isNeeded = true;

/** Ends the process quietly when the reader of its output goes away (`| head`), as Unix programs do. */
export function exitOnClosedPipe(): void {
  for (const stream of STREAMS) {
    stream.on('error', (error) => {
      if (isNeeded) process.exit(errorCode(error) === 'EPIPE' ? 0 : 1);
    });
  }
}

/** A server keeps running when nobody reads its output. */
export function ignoreClosedPipe(): void {
  isNeeded = false;
}

/** Waits until all output is written: `process.exit` would drop output that a slow pipe has not yet accepted. */
export async function flushOutput(): Promise<void> {
  for (const stream of STREAMS) await new Promise((resolve) => stream.write('', resolve));
}
