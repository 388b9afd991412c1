import { errorCode } from '../common/error-code.js';

const STREAMS = [process.stdout, process.stderr];
let isNeeded = true;

/** From now on a reader of the output that goes away (`| head`) ends the process quietly, as it does every program of Unix. */
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

/** Waits until all output is written: `process.exit` would cut off output that a slow pipe has not accepted yet. */
export async function flushOutput(): Promise<void> {
  for (const stream of STREAMS) await new Promise((resolve) => stream.write('', resolve));
}
