import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { ServerProcess } from '../support/server-process.js';
import { freshStorage } from '../support/storage.js';

/** In modules it would be 2,600, and more than twice the time. */
const MOST_FILES = 60;

describe('A start of the server', () => {
  it('reads few files', async () => {
    const storage = await freshStorage();
    const folder = path.join(storage.home, 'coverage');
    const server = await ServerProcess.start(storage, { env: { NODE_V8_COVERAGE: folder } });
    await server.stop();
    const read = await filesIn(folder);
    await storage.dispose();
    expect(read.length).toBeGreaterThan(0);
    expect(read.length).toBeLessThan(MOST_FILES);
  });
});

/** What Node's own coverage says was loaded. */
async function filesIn(folder: string): Promise<string[]> {
  const [name] = await readdir(folder);
  const { result } = JSON.parse(await readFile(path.join(folder, name!), 'utf8')) as { result: { url: string }[] };
  return result.map(({ url }) => url).filter((url) => url.startsWith('file:'));
}
