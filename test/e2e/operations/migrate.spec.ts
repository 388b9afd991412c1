import { checkpoint, newThreadId } from '../../factories/events.js';
import { runCommand } from '../../support/command.js';
import { latestOf, record } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { changeStored, freshStorage, type TestStorage } from '../../support/storage.js';
import { contentsOf } from '../../support/table-contents.js';

let storage: TestStorage;

beforeEach(async () => {
  storage = await freshStorage();
});
afterEach(() => storage.dispose());

describe('The newest migration', () => {
  it('is not taken back under a server that runs, and is when that has stopped', async () => {
    const server = await ServerProcess.start(storage);
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    const refused = await runCommand(storage, ['migrate', '--down']);
    expect([refused.code, refused.stdout]).toEqual([1, '']);
    expect(refused.stderr).toMatch(/in use|is serving/);
    await record(server.api, checkpoint(threadId, 1));
    expect((await latestOf(server.api, threadId)).step_index).toBe(1);
    await server.stop();
    await expectNewerRefused();
    const taken = await runCommand(storage, ['migrate', '--down']);
    expect([taken.code, taken.stdout]).toEqual([0, expect.stringContaining('reverted')]);
    expect((await runCommand(storage, ['migrate'])).stdout).toContain('applied');
  });

  /** Includes the start of a server that does not know it, which must write nothing. */
  async function expectNewerRefused(): Promise<void> {
    await changeStored(storage, `INSERT INTO migration (timestamp, name) VALUES (1999999999999, 'Later1999999999999')`);
    const before = await contentsOf(storage);
    for (const command of [['serve', '--port', '0'], ['migrate'], ['migrate', '--down']]) {
      const { code, stdout, stderr } = await runCommand(storage, command);
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/was upgraded by a newer version .*Later1999999999999.*: start the newer version/);
    }
    expect(await contentsOf(storage)).toEqual(before);
    await changeStored(storage, `DELETE FROM migration WHERE timestamp = 1999999999999`);
  }
});
