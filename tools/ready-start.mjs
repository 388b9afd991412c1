// After an installation. Of the packed file: has the engine compile the program, and keeps that, so that starts take a third less. In a clone: links the command.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const root = path.dirname(import.meta.dirname);
const program = path.join(root, 'dist', 'code-cache.js');
// In a clone the build does it. Where it fails, starts only take longer.
const linking = path.join(root, 'scripts', 'link-command.mjs');
if (existsSync(linking)) (await import(pathToFileURL(linking).href)).linkCommand(root);
else if (existsSync(program)) spawnSync(process.execPath, [program], { stdio: 'ignore' });
