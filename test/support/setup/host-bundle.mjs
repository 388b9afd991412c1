// The program and program-host.mjs, which runs it for tests, as one file: it loads faster than its modules.
import { build } from 'esbuild';
import path from 'node:path';
import { NOT_BUNDLED, PROGRAM_BUNDLE } from '../../../scripts/bundling.mjs';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** Bundled once per Jest run, from the modules of the last build. */
export async function bundleHost() {
  if (globalThis.waystationHost) return;
  globalThis.waystationHost = true;
  await build({
    ...PROGRAM_BUNDLE,
    absWorkingDir: ROOT,
    entryPoints: ['test/support/setup/program-host.mjs'],
    outfile: '.tmp/program-host.mjs',
    external: NOT_BUNDLED,
    logLevel: 'error',
  });
}
