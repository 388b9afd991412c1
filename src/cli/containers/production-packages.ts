import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

interface Manifest {
  /** In the manifest of this program: the packages that its build leaves outside. */
  unbundled?: string[];
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** The folders of the packages that the built program at `root` loads, and of all that they need, as Node finds them: its own, and those beside it. */
export function productionPackages(root: string): string[] {
  const found = new Set<string>();
  const waiting = [root];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const name of needsOf(folder)) {
      const place = placeOf(name, folder);
      if (place === null || found.has(place)) continue;
      found.add(place);
      waiting.push(place);
    }
  }
  return [...found].sort();
}

/** Optional peers are of no interest: what this program wants of them it needs itself. */
function needsOf(folder: string): string[] {
  const manifest = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
  if (manifest.unbundled) return manifest.unbundled;
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...new Set([...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers])];
}

function placeOf(name: string, from: string): string | null {
  const candidate = path.join(from, 'node_modules', name);
  if (existsSync(path.join(candidate, 'package.json'))) return candidate;
  const above = path.dirname(from);
  return above === from ? null : placeOf(name, above);
}
