// Builds the program when it is missing or older than its sources.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const built = path.join(root, 'dist', '.tsbuildinfo');

function newestChange(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).reduce(
    (newest, entry) =>
      entry.isFile()
        ? Math.max(newest, statSync(path.join(entry.parentPath ?? entry.path, entry.name)).mtimeMs)
        : newest,
    0,
  );
}

const sourceChange = Math.max(
  newestChange(path.join(root, 'src')),
  statSync(path.join(root, 'tsconfig.build.json')).mtimeMs,
  statSync(path.join(root, 'package-lock.json')).mtimeMs,
);
if (!existsSync(built) || statSync(built).mtimeMs < sourceChange) {
  console.log('Building...');
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const done = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  if (done.status !== 0) process.exit(done.status ?? 1);
}
