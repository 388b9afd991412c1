import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makeFolder } from '../../common/make-folder.js';
import { NOT_BUNDLED, packedManifest } from '../../common/packed-manifest.js';
import { PACKAGE_ROOT } from '../../common/package-root.js';
import { CliError } from '../cli-error.js';
import { productionPackages } from './production-packages.js';

export const DOCKERFILE = path.join(PACKAGE_ROOT, 'Dockerfile');

/** Types, maps and texts: half of the files, and not needed to run. */
const NOT_RUN = /\.(d\.[cm]?ts|map|md|markdown|tsbuildinfo)$/i;

/** The parts of this package that the image needs, besides a short package.json. */
const PARTS = ['dist', path.join('tools', 'ready-sqlite3.mjs')];

/** A folder to build the image from. */
export interface BuildContext {
  folder: string;
  /** This package's path in it. */
  packageDir: string;
}

/**
 * Creates a folder with the built program and its packages, calls `use` with it and removes it. Packages keep their relative places: if
 * this package is a dependency, most of its own dependencies lie beside it, not in it.
 * @throws CliError when the program has not been built
 */
export async function withBuildContext<T>(use: (context: BuildContext) => Promise<T>): Promise<T> {
  if (!existsSync(path.join(PACKAGE_ROOT, 'dist', 'cli.js'))) {
    throw new CliError('Build the program first: npm run build');
  }
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waystation-image-'));
  try {
    return await use(fill(folder));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function fill(folder: string): BuildContext {
  // Packages of other systems have native parts for those; there the build fetches its own.
  const packages = process.platform === 'linux' ? productionPackages(PACKAGE_ROOT, NOT_BUNDLED) : [];
  const layout = commonFolder([PACKAGE_ROOT, ...packages.map((place) => path.dirname(topModules(place)))]);
  const packageDir = path.relative(layout, PACKAGE_ROOT) || '.';
  for (const part of PARTS) {
    const source = path.join(PACKAGE_ROOT, part);
    if (existsSync(source)) cpSync(source, path.join(folder, packageDir, part), { recursive: true, filter: isRun });
  }
  const manifest: unknown = JSON.parse(readFileSync(path.join(PACKAGE_ROOT, 'package.json'), 'utf8'));
  const short = packedManifest(manifest as Parameters<typeof packedManifest>[0]);
  writeFileSync(path.join(folder, packageDir, 'package.json'), JSON.stringify(short));
  for (const place of packages) copyPackage(place, path.join(folder, path.relative(layout, place)));
  return { folder, packageDir };
}

/** Copies a package without the packages nested in it: those that are needed have been found separately. */
function copyPackage(source: string, target: string): void {
  makeFolder(path.dirname(target));
  const nested = path.join(source, 'node_modules');
  const filter = (file: string) => file !== nested && isRun(file);
  cpSync(source, target, { recursive: true, dereference: true, filter });
}

function isRun(file: string): boolean {
  return !NOT_RUN.test(file);
}

/** The outermost folder of packages in a path. */
function topModules(place: string): string {
  const parts = place.split(path.sep);
  return parts.slice(0, parts.indexOf('node_modules') + 1).join(path.sep);
}

function commonFolder(folders: readonly string[]): string {
  return folders.reduce((common, folder) => {
    while (path.relative(common, folder).startsWith('..')) common = path.dirname(common);
    return common;
  });
}
