// `npm run typeorm -- migration:show`: TypeORM's command line on the storage named by the environment.
// TypeORM cannot read ormconfig.ts itself: it is first compiled beside the built program.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { transformSync } from '@swc/core';

const root = path.dirname(import.meta.dirname);
const folder = path.join(root, '.tmp');
const compiled = path.join(folder, 'ormconfig.mjs');

const source = readFileSync(path.join(root, 'ormconfig.ts'), 'utf8');
const { code } = transformSync(source, { jsc: { parser: { syntax: 'typescript' }, target: 'es2023' } });
mkdirSync(folder, { recursive: true });
writeFileSync(compiled, code.replaceAll(/(['"])\.\/src\//g, '$1../build/'));

const cli = createRequire(import.meta.url).resolve('typeorm/cli.js');
const done = spawnSync(
  process.execPath,
  [cli, ...process.argv.slice(2), '-d', path.relative(process.cwd(), compiled)],
  {
    stdio: 'inherit',
  },
);
process.exit(done.status ?? 1);
