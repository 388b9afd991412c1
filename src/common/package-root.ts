import { existsSync } from 'node:fs';
import path from 'node:path';

/** Where this program is installed: the folder of its package.json, whether it runs from src, build or dist. */
export const PACKAGE_ROOT = folderWithManifest(import.meta.dirname);

function folderWithManifest(folder: string): string {
  return existsSync(path.join(folder, 'package.json')) ? folder : folderWithManifest(path.dirname(folder));
}
