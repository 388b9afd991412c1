// The server without its fast lane, as one file: tests of the projects `plain-door-*` start it instead of the built program.
import { build } from 'esbuild';
import path from 'node:path';
import { NOT_BUNDLED, PROGRAM_BUNDLE } from '../../../scripts/bundling.mjs';
import buildWhenStale from './build.mjs';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const ENTRY = `import 'reflect-metadata';
import { serve } from './cli/serve.js';
import { TERMINAL } from './cli/terminal.js';
import { loadConfigWith } from './config/env.js';
await serve(loadConfigWith({}), TERMINAL, { isJson: false, isWithoutFastLane: true });
process.exit(0);`;

export default async function bundlePlainDoor() {
  buildWhenStale();
  await build({
    ...PROGRAM_BUNDLE,
    absWorkingDir: ROOT,
    stdin: { contents: ENTRY, resolveDir: path.join(ROOT, 'build') },
    outfile: '.tmp/plain-door.mjs',
    external: NOT_BUNDLED,
    logLevel: 'error',
  });
}
