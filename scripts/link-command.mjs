// A clone's command `waystation` is where npm puts packages' commands; the packed program declares its own in its package.json. If this
// package.json declared one, npx would first load the whole package tree, which takes most of a second.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/**
 * Lets `npx waystation` find this clone's command, built or not. If it cannot be written, npx finds none: .npmrc forbids installing one.
 */
export function linkCommand(root) {
  const file = path.join(root, 'node_modules', '.bin', 'waystation');
  try {
    put(file, CLONE_COMMAND);
    if (process.platform === 'win32') put(`${file}.cmd`, '@node "%~dp0\\waystation" %*\r\n');
  } catch {
    // Somebody else's folder.
  }
}

const CLONE_COMMAND = `#!/usr/bin/env node
const program = require('node:path').join(__dirname, '../../dist/cli.js');
if (require('node:fs').existsSync(program)) import(require('node:url').pathToFileURL(program).href);
else {
  console.error('Waystation is not built yet. Run: npm run build');
  process.exitCode = 1;
}
`;

function put(file, text) {
  if (read(file) === text) return;
  mkdirSync(path.dirname(file), { recursive: true });
  // Earlier builds left a link to the program here, which must not be written through.
  rmSync(file, { force: true });
  writeFileSync(file, text, { mode: 0o755 });
}

function read(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
