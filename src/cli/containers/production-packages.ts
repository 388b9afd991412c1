import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

interface Manifest {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  peerDependencies?: Record<string, string>;
  peerDependenciesMeta?: Record<string, { optional?: boolean }>;
}

/** The folders of the named packages and their dependencies, resolved from `root` as Node does. */
export function productionPackages(root: string, names: readonly string[]): string[] {
  const found = new Set<string>();
  const add = (names: readonly string[], from: string): void => {
    for (const name of names) {
      const place = placeOf(name, from);
      if (place === null || found.has(place)) continue;
      found.add(place);
      add(needsOf(place), place);
    }
  };
  add(names, root);
  return [...found].sort();
}

/** Ignores optional peers: those that are needed are dependencies of this program itself. */
function needsOf(folder: string): string[] {
  const manifest = manifestOf(folder);
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = manifest;
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  return [...new Set([...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers])];
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Manifest;
}

function placeOf(name: string, from: string): string | null {
  const candidate = path.join(from, 'node_modules', name);
  if (existsSync(path.join(candidate, 'package.json'))) return candidate;
  const above = path.dirname(from);
  return above === from ? null : placeOf(name, above);
}
