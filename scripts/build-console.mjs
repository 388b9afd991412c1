// Builds the page at /console/: console/src becomes hashed files in dist/console, each also compressed, so that the server only sends
// them.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { build } from 'vite';
import config from '../console/vite.config.mjs';
import { writeConsoleTypes } from './console-types.mjs';

/** Limit in bytes of the compressed script that the first view loads. */
const FIRST_VIEW_LIMIT = 250 * 1024;
/** Limit in seconds of a build on two idle cores. */
const BUILD_LIMIT_S = 20;
const WORTH_COMPRESSING = /\.(js|css|html|svg)$/;

const root = path.dirname(import.meta.dirname);
const target = path.join(root, 'dist', 'console');

/**
 * Builds the page and prints how much script its first view loads.
 *
 * @returns all its modules, relative to the project's root
 * @throws {Error} for a first view with more script than {@link FIRST_VIEW_LIMIT}
 */
export async function buildConsole() {
  await writeConsoleTypes();
  // Tests start the build with another value, which would select React's development build: slower, and half as large again.
  process.env.NODE_ENV = 'production';
  const begin = performance.now();
  const { output } = await build({ ...config, logLevel: 'warn' });
  const chunks = output.filter(({ type }) => type === 'chunk');
  for (const { fileName } of output) writeCompressed(path.join(target, fileName));
  const size = firstViewSize(chunks);
  const seconds = (performance.now() - begin) / 1000;
  console.log(
    `Console: ${Math.round(size / 1024)} of ${FIRST_VIEW_LIMIT / 1024} KB script in the first view, ${seconds.toFixed(1)} s`,
  );
  if (seconds > BUILD_LIMIT_S) console.warn(`Console: the build should take less than ${BUILD_LIMIT_S} s.`);
  if (size > FIRST_VIEW_LIMIT) throw new Error('The first view of the console loads too much script.');
  return chunks.flatMap(({ moduleIds }) => moduleIds).map((id) => path.relative(root, id.replace(/^\0/, '')));
}

function writeCompressed(file) {
  if (!WORTH_COMPRESSING.test(file)) return;
  const text = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(text, { level: 9 }));
  writeFileSync(`${file}.br`, brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } }));
}

/** Compressed bytes of the entries and their static imports. */
function firstViewSize(chunks) {
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const seen = new Set();
  const visit = (name) => {
    const chunk = byName.get(name);
    if (!chunk || seen.has(name)) return;
    seen.add(name);
    chunk.imports.forEach(visit);
  };
  for (const { fileName, isEntry } of chunks) if (isEntry) visit(fileName);
  return [...seen].reduce((sum, name) => sum + statSync(path.join(target, `${name}.gz`)).size, 0);
}
