// The order in which jest begins the files: the longest first, so that no worker is left alone with one of them at the end.
// After a run on this machine jest knows what each file takes; before the first one it would go by the sizes of the files.
import Sequencer from '@jest/test-sequencer';

/** Seconds that long files take, roughly; by what their paths contain. */
const SECONDS = [
  ['test/e2e/soak', 80],
  ['test/e2e/clients/packing', 45],
  ['test/e2e/bad-input/large-pages', 60],
  ['test/e2e/clients/', 45],
  ['test/e2e/agent-runs/turns', 45],
  ['test/e2e/channels/chat-approvals', 45],
  ['test/e2e/operations/', 40],
  ['test/e2e/documents', 40],
  ['test/e2e/console/', 40],
  ['test/medium/channels/outbox-faults', 40],
  ['test/e2e/recording/fragmented', 40],
  ['test/e2e/recording/runs-on-one-base', 40],
  ['test/e2e/bad-input/large-elements', 40],
  ['test/e2e/threads/long-logs', 35],
  ['test/e2e/threads/large', 30],
  ['test/e2e/channels/polling', 35],
  ['test/e2e/http/stream-tokens', 35],
  ['test/e2e/terminal/show', 35],
  ['test/e2e/container/', 30],
  ['test/e2e/agent-runs/', 30],
  ['test/e2e/channels/', 25],
  ['test/medium/channels/', 25],
  ['test/medium/threads/list-queries', 25],
  ['test/e2e/approvals/', 15],
  ['test/e2e/', 12],
  ['src/http/body-room', 20], // it waits for a limit of 15 s
  ['src/client/waystation-client', 15],
  ['test/support/patterns', 10],
  ['src/modules/triggers/definition/cron/', 10],
  ['src/modules/threads/logs/', 10],
  ['test/contract/', 8],
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
