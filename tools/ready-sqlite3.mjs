// After the packed file was installed: makes sure that SQLite's native module runs here, and removes 18 MB of compiler leftovers.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const require = createRequire(import.meta.url);
const isClone = existsSync(path.join(import.meta.dirname, '..', 'src'));
try {
  if (!isClone) ready(path.dirname(require.resolve('sqlite3/package.json')));
} catch {
  // The first start reports a broken native module; leftovers only take space.
}

function ready(folder) {
  // The packed native module was built on another machine, which may have had a newer C library.
  if (!runs(folder))
    spawnSync('node-gyp', ['rebuild'], { cwd: folder, stdio: 'ignore', shell: process.platform === 'win32' });
  trim(path.join(folder, 'build'));
}

function runs(folder) {
  return spawnSync(process.execPath, ['--eval', 'require(process.argv[1])', folder]).status === 0;
}

function trim(build) {
  const release = path.join(build, 'Release');
  const isNeeded = (entry) => entry.endsWith('.node');
  if (!readdirSync(release).some(isNeeded)) return;
  for (const entry of readdirSync(release)) if (!isNeeded(entry)) remove(path.join(release, entry));
  for (const entry of readdirSync(build)) if (entry !== 'Release') remove(path.join(build, entry));
}

function remove(entry) {
  rmSync(entry, { recursive: true, force: true });
}
