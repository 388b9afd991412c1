// Compiles src for both module systems, and puts the licence beside it.
import { spawnSync } from 'node:child_process';
import { copyFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ensureInstalled } from '../ensure-installed.mjs';

const HERE = import.meta.dirname;
const TSC = path.join(HERE, 'node_modules/typescript/bin/tsc');

ensureInstalled(HERE);
rmSync(path.join(HERE, 'dist'), { recursive: true, force: true });
for (const [folder, module] of [
  ['esm', 'module'],
  ['cjs', 'commonjs'],
]) {
  const out = path.join(HERE, 'dist', folder);
  const compiler = ['-p', 'tsconfig.json', '--outDir', out];
  if (folder === 'cjs')
    compiler.push('--module', 'commonjs', '--moduleResolution', 'node10', '--ignoreDeprecations', '5.0');
  const { status } = spawnSync(process.execPath, [TSC, ...compiler], { cwd: HERE, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(path.join(out, 'package.json'), `{ "type": "${module}" }\n`);
}
copyFileSync(path.join(HERE, '../../LICENSE'), path.join(HERE, 'LICENSE'));
