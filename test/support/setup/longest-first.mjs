// Runs the longest files first, so that no worker is left alone with one of them at the end.
// After a run on this machine, Jest knows the duration of each file; before the first run, it would use file sizes.
import Sequencer from '@jest/test-sequencer';

/** Approximate seconds of long files, by parts of their paths. */
const SECONDS = [
  ['test/e2e/soak', 90],
  ['test/e2e/clients/langgraph', 90],
  ['test/e2e/bad-input/large-pages', 80],
  ['test/e2e/operations/migrate-data', 80],
  ['test/e2e/clients/served', 75],
  ['test/e2e/documents', 70],
  ['test/e2e/operations/backup', 65],
  ['test/medium/channels/hanging', 65],
  ['test/medium/threads/raced-groups', 65],
  ['test/e2e/security/foreign-folder', 60],
  ['test/e2e/agent-runs/kill-points', 60],
  ['test/e2e/clients/p', 55],
  ['test/e2e/operations/postgres-starts', 55],
  ['test/e2e/agent-runs/c', 55],
  ['test/e2e/recording/fragmented-bases', 55],
  ['test/e2e/container/agents', 50],
  ['test/e2e/console/r', 50],
  ['test/e2e/approvals/command-line', 45],
  ['test/e2e/agent/process', 45],
  ['test/e2e/recording/runs-on-one-base', 45],
  ['test/e2e/console/second-views', 45],
  ['test/e2e/clients/', 40],
  ['test/e2e/console/', 40],
  ['test/e2e/bad-input/large-elements', 40],
  ['test/e2e/terminal/show', 40],
  ['test/e2e/container/', 40],
  ['test/e2e/agent-runs/', 40],
  ['test/e2e/operations/', 35],
  ['test/e2e/shutdown', 35],
  ['test/e2e/agent/', 35],
  ['test/medium/channels/crowd', 35],
  ['test/contract/model-history', 35],
  ['test/e2e/states/large', 35],
  ['test/e2e/threads/l', 30],
  ['test/e2e/approvals/rule-', 30],
  ['test/e2e/channels/', 25],
  ['test/e2e/terminal/', 25],
  ['test/e2e/crash', 25],
  ['test/e2e/recording/memory', 25],
  ['test/e2e/http/docs-page', 25],
  ['test/e2e/packed-program', 25],
  ['test/medium/channels/', 20],
  ['test/medium/threads/list-queries', 20],
  ['test/e2e/approvals/', 15],
  ['test/e2e/', 12],
  ['src/http/body-room', 20], // waits for a limit of 15 s
  ['src/client/waystation-client', 15],
  ['test/support/patterns', 10],
  ['src/modules/triggers/definition/cron/', 10],
  ['src/modules/threads/logs/', 10],
  ['test/contract/', 8],
  ['test/medium/', 8],
  ['', 3],
];

export default class LongestFirst extends Sequencer {
  /** A file's last duration in milliseconds, otherwise an estimate. */
  time(test) {
    const guess = SECONDS.find(([part]) => test.path.includes(part))[1];
    return super.time(test) ?? guess * 1000;
  }
}
