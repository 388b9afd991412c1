// Where packages of a project would have their commands: so `npx waystation` finds this one in the clone without a search that takes a second.
import { existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';

/** Leaves what is there, or cannot be written, as it is: npx then only needs longer. */
export function linkCommand(root) {
  const link = path.join(root, 'node_modules', '.bin', 'waystation');
  if (process.platform === 'win32' || existsSync(link)) return;
  try {
    mkdirSync(path.dirname(link), { recursive: true });
    rmSync(link, { force: true });
    symlinkSync(path.join('..', '..', 'dist', 'cli.js'), link);
  } catch {
    // A folder of somebody else.
  }
}
