// The program and server-host.mjs, which runs it for tests, as one file: it loads faster than its modules.
import { build } from 'esbuild';
import path from 'node:path';
import { NOT_BUNDLED, PROGRAM_BUNDLE } from '../../../scripts/bundling.mjs';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** Bundled once per Jest run, from the modules of the last build. */
export async function bundleServerHost() {
  if (globalThis.waystationServerHost) return;
  globalThis.waystationServerHost = true;
  await build({
    ...PROGRAM_BUNDLE,
    absWorkingDir: ROOT,
    entryPoints: ['test/support/setup/server-host.mjs'],
    outfile: '.tmp/server-host.mjs',
    external: NOT_BUNDLED,
    logLevel: 'error',
  });
}
