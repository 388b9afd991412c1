// The order in which jest begins the files: the longest first, so that no worker is left alone with one of them at the end.
// After a run on this machine jest knows what each file takes; before the first one it would go by the sizes of the files.
import Sequencer from '@jest/test-sequencer';

/** Seconds that long files take, roughly; by what their paths contain. */
const SECONDS = [
  ['test/e2e/soak', 70],
  ['test/e2e/container/agents', 70],
  ['test/e2e/operations/migrate-data', 50],
  ['test/e2e/agent-runs/turns', 45],
  ['test/e2e/operations/backup', 45],
  ['test/e2e/agent-runs/crashes', 40],
  ['test/e2e/channels/polling', 40],
  ['test/e2e/channels/chat-crash', 35],
  ['test/e2e/channels/typing', 30],
  ['test/e2e/container/', 25],
  ['test/e2e/', 12],
  ['test/medium/', 8],
  ['', 3],
];

export default class LongestFirst extends Sequencer {
  /** Milliseconds that a file took the last time, else roughly takes. */
  time(test) {
    const guess = SECONDS.find(([part]) => test.path.includes(part))[1];
    return super.time(test) ?? guess * 1000;
  }
}
