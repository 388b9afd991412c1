// After an installation of the packed file: where SQLite was compiled, removes what the compiler left beside the result, 18 MB.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

const isClone = existsSync(path.join(import.meta.dirname, '..', 'src'));
try {
  if (!isClone) trim(path.join(path.dirname(createRequire(import.meta.url).resolve('sqlite3/package.json')), 'build'));
} catch {
  // The leftovers only take space: the installation is good with them, too.
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
