// Builds what the tests start as processes, where the sources are newer than the last build.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../../..');

export default function buildWhenStale() {
  const built = path.join(root, 'dist', '.tsbuildinfo');
  const config = statSync(path.join(root, 'tsconfig.build.json')).mtimeMs;
  if (existsSync(built) && statSync(built).mtimeMs > Math.max(config, newestChange(path.join(root, 'src')))) return;
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const done = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  if (done.status !== 0) throw new Error('The build failed; its messages are above.');
}

function newestChange(folder) {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile());
  return Math.max(...files.map((file) => statSync(path.join(file.parentPath ?? file.path, file.name)).mtimeMs));
}
