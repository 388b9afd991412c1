// After an installation of the packed file: has the engine compile the program, and keeps that, so that starts take a third less.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const root = path.dirname(import.meta.dirname);
const program = path.join(root, 'dist', 'code-cache.js');
// In a clone the build does it. Where it fails, starts only take longer.
const isClone = existsSync(path.join(root, 'src'));
if (!isClone && existsSync(program)) spawnSync(process.execPath, [program], { stdio: 'ignore' });
