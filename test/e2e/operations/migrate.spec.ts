import { checkpoint, newThreadId } from '../../factories/events.js';
import { runCommand } from '../../support/command.js';
import { latestOf, record } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { freshStorage, type TestStorage } from '../../support/storage.js';

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
    const taken = await runCommand(storage, ['migrate', '--down']);
    expect([taken.code, taken.stdout]).toEqual([0, expect.stringContaining('reverted')]);
    expect((await runCommand(storage, ['migrate'])).stdout).toContain('applied');
  });
});
