// Builds the program if it is missing or older than its sources.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { linkCommand } from './link-command.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
// Dated at the build's beginning.
const built = path.join(root, 'dist', 'licenses.txt');

/** Folders that Python creates beside its sources. */
const MADE_BY_PYTHON = /__pycache__|\.egg-info/;

function newestChange(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true }).reduce(
    (newest, entry) =>
      entry.isFile() && !MADE_BY_PYTHON.test(entry.parentPath ?? entry.path)
        ? Math.max(newest, statSync(path.join(entry.parentPath ?? entry.path, entry.name)).mtimeMs)
        : newest,
    0,
  );
}

/** The files that the server serves, without installed or built ones. */
const CLIENT_FILES = /^(src|examples?|package\.json|pyproject\.toml|README\.md)$/;
const clients = path.join(root, 'clients');
const clientSources = readdirSync(clients, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) => readdirSync(path.join(clients, name)).map((file) => path.join('clients', name, file)))
  .filter((file) => CLIENT_FILES.test(path.basename(file)));

const sourceChange = Math.max(
  ...['src', 'console', 'docs', 'scripts/guides'].map((folder) => newestChange(path.join(root, folder))),
  ...clientSources.filter((file) => !path.extname(file)).map((folder) => newestChange(path.join(root, folder))),
  // Without folders: copying a checkout or adding files changes their times.
  ...[
    ...clientSources.filter((file) => path.extname(file)),
    'README.md',
    'clients/build.mjs',
    'scripts/build.mjs',
    'scripts/build-clients.mjs',
    'scripts/build-console.mjs',
    'scripts/build-guides.mjs',
    'scripts/bundled-packages.mjs',
    'scripts/link-command.mjs',
    'scripts/python-wheel.mjs',
    'tsconfig.build.json',
    'tsconfig.json',
    'package.json',
    'package-lock.json',
  ].map((name) => statSync(path.join(root, name)).mtimeMs),
);
if (!existsSync(built) || statSync(built).mtimeMs < sourceChange) {
  console.log('Building...');
  const done = spawnSync(process.execPath, [path.join(root, 'scripts', 'build.mjs')], { stdio: 'inherit' });
  if (done.status !== 0) process.exit(done.status ?? 1);
}
// Installing packages may have removed it.
linkCommand(root);
