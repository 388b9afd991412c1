// Builds what the tests start as processes, if the sources are newer than the last build.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { bundleHost } from './host-bundle.mjs';
import { migrateFile } from './migrated.mjs';

const BUILD = path.resolve(import.meta.dirname, '../../../scripts/ensure-built.mjs');

export default async function buildWhenStale() {
  const done = spawnSync(process.execPath, [BUILD], { stdio: 'inherit' });
  if (done.status !== 0) throw new Error('The build failed; its messages are above.');
  migrateFile();
  await bundleHost();
}
