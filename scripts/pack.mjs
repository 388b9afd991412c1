// `npm run pack`: packs the program into waystation-VERSION.tgz, from a folder with its own short package.json.
// `npm run pack -- --pack-destination DIR` puts the file elsewhere; the arguments are those of `npm pack`.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { packedManifest } from '../build/common/packed-manifest.js';
import { packSqlite } from './pack-sqlite3.mjs';

const root = path.dirname(import.meta.dirname);
const folder = path.join(root, '.tmp', 'package');
const CONTENT = ['dist', 'Dockerfile', 'docs', 'examples', 'tools/ready-sqlite3.mjs', '.prebuild-installrc'];
const TEXTS = ['.env.example', 'README.md', 'LICENSE', 'CHANGELOG.md'];

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const name of [...CONTENT, ...TEXTS]) {
  cpSync(path.join(root, name), path.join(folder, name), { recursive: true, filter: (file) => !file.endsWith('.map') });
}
packSqlite(path.join(folder, 'dist', 'prebuilds'));
const manifest = packedManifest(JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')));
writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
const { status } = spawnSync('npm', ['pack', folder, ...process.argv.slice(2)], { cwd: root, stdio: 'inherit' });
process.exit(status ?? 1);
