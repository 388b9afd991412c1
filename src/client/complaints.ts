import type { OutageListeners } from './outage-notice.js';

/** A client whose program does not listen says it itself. */
export function outageLines(url: () => string): OutageListeners {
  return {
    onTrouble: (reason) => complain(`${reason}; reports wait`),
    onRecovered: () => complain(`${url()} answers again`),
  };
}

export function complain(words: string): void {
  process.stderr.write(`waystation: ${words}\n`);
}
