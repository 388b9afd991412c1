import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
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

describe('The client', () => {
  it.each(['cjs', 'esm'] as const)('can be bundled again, as %s', async (format) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'waystation-bundle-'));
    const outfile = path.join(folder, format === 'cjs' ? 'program.cjs' : 'program.mjs');
    const contents = `import { WaystationClient } from 'waystation/client'; console.log(WaystationClient.name);`;
    const stdin = { contents, resolveDir: path.resolve(import.meta.dirname, '../..') };
    await build({ stdin, outfile, format, bundle: true, platform: 'node' });
    const printed = execFileSync(process.execPath, [outfile], { encoding: 'utf8' });
    await rm(folder, { recursive: true });
    expect(printed).toBe('WaystationClient\n');
  });
});

/** What Node's own coverage says was loaded. */
async function filesIn(folder: string): Promise<string[]> {
  const [name] = await readdir(folder);
  const { result } = JSON.parse(await readFile(path.join(folder, name!), 'utf8')) as { result: { url: string }[] };
  return result.map(({ url }) => url).filter((url) => url.startsWith('file:'));
}
