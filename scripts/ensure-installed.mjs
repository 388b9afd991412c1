// Installs the packages when node_modules is missing or older than package-lock.json, so that one command works on a fresh clone.
// In two steps, so that something else can be done while SQLite is being compiled: first `--unbuilt`, then `--build`.
import { spawnSync } from 'node:child_process';
import { readFileSync, existsSync, writeFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const stamp = path.join(root, 'node_modules', '.waystation-lock');
const wanted = createHash('sha256')
  .update(readFileSync(path.join(root, 'package-lock.json')))
  .update(process.versions.modules)
  .digest('hex');

const INSTALL = ['ci', '--no-fund', '--no-audit'];
const STEPS = { '--unbuilt': [...INSTALL, '--ignore-scripts'], '--build': ['rebuild'] };

const step = process.argv[2];
if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  console.log('Installing packages (once)...');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const done = spawnSync(npm, STEPS[step] ?? INSTALL, { cwd: root, stdio: 'inherit' });
  if (done.status !== 0) process.exit(done.status ?? 1);
  if (step !== '--unbuilt') writeFileSync(stamp, wanted);
}
