import { existsSync } from 'node:fs';
import path from 'node:path';

/** Where this program is installed: the folder of its package.json, whether it runs from src, build or dist. */
export const PACKAGE_ROOT = folderWithManifest(import.meta.dirname);

function folderWithManifest(folder: string): string {
  if (existsSync(path.join(folder, 'package.json'))) return folder;
  const above = path.dirname(folder);
  if (above === folder) throw new Error(`There is no package.json above ${import.meta.dirname}`);
  return folderWithManifest(above);
}
