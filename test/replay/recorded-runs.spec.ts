import { statSync } from 'node:fs';
import { compareReplay, distinctBytes, replay } from '../support/replay.js';
import { recordedRuns, REPLAY_DIR } from '../support/replay-source.js';
import { checkpointWal } from '../support/sqlite-file.js';
import { useServer } from '../support/test-server.js';

const AT_ONCE = 8;
const runs = recordedRuns();

if (runs.length === 0) announceMissing();
else describe(`The ${runs.length} recorded runs of ${REPLAY_DIR}`, replayAll);

/** Many machines have no recordings: said aloud, so that nobody takes this for a test that ran. */
function announceMissing(): void {
  it('recorded runs are not there: NOTHING WAS REPLAYED (set WAYSTATION_REPLAY_DIR)', () => {
    console.warn(
      `\n  !!! No recorded runs in ${REPLAY_DIR}: nothing was replayed. Set WAYSTATION_REPLAY_DIR to replay some.\n`,
    );
  });
}

function replayAll(): void {
  const server = useServer();
  /** Each of the tables and indexes begins with a page. */
  let emptyBytes = 0;
  beforeAll(() => {
    if (server.storage.dialect === 'sqlite') emptyBytes = statSync(server.storage.sqlitePath).size;
  });

  it('read back to the last byte, every checkpoint of them', async () => {
    await inParallel((run) => replay(server.api, run));
    const counts = await inParallel((run) => compareReplay(server.api, run));
    console.info(`${counts.reduce((sum, count) => sum + count, 0)} checkpoints compared`);
  }, 300_000);

  it('take at most 1.75 times the bytes of their different messages and meta on disk', async () => {
    expect(await server.process.stop()).toBe(0);
    if (server.storage.dialect !== 'sqlite') return;
    const file = server.storage.sqlitePath;
    await checkpointWal(file);
    const bytes = statSync(file).size - emptyBytes;
    const ratio = bytes / distinctBytes(runs);
    console.info(`${bytes} bytes on disk, ${ratio.toFixed(2)} for each byte of different messages and meta`);
    expect(ratio).toBeLessThanOrEqual(1.75);
  });

  it('are still there after a restart of the server', async () => {
    const restarted = await server.restart();
    await inParallel((run) => compareReplay(restarted.api, run));
  }, 300_000);
}

/** Works the runs off, some at a time; the events of one run stay in order. */
async function inParallel<T>(work: (run: (typeof runs)[number]) => Promise<T>): Promise<T[]> {
  const left = [...runs];
  const results: T[] = [];
  const worker = async () => {
    for (let run = left.shift(); run; run = left.shift()) results.push(await work(run));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return results;
}
