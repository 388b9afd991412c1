// The application for tests that contain it. Jest reads, links and evaluates modules again for every file, and the application's 1,900 took
// most of such a file's time. So they are bundled into a few modules, which Node loads once per worker (in-process-environment.mjs);
// tests import stand-ins that re-export what was loaded.
import { transform } from '@swc/core';
import { build } from 'esbuild';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { NOT_BUNDLED, PROGRAM_BUNDLE } from '../../../scripts/bundling.mjs';
import { DECORATORS } from './decorators.mjs';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const OUT = path.join(ROOT, '.tmp', 'in-process');
/** Imports everything that tests import, under the names that jest.config.js maps it to. */
const INDEX = path.join(OUT, 'index.js');
const STAND_INS = path.join(OUT, 'stand-ins');
/** Folders of the tests that contain the application, and of their helpers. */
const IMPORTERS = ['test/medium', 'test/support', 'test/factories', 'test/fakes'];
/** Packages that tests share with the application, as jest.config.js maps them. */
const SHARED = /^(@nestjs\/.*|typeorm|reflect-metadata)$/;

/** Decorators emit type metadata, which esbuild cannot do. */
const withDecorators = {
  name: 'with-decorators',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^\..*\.js$/ }, ({ path: specifier, importer }) => {
      if (importer.includes('node_modules')) return undefined;
      return { path: path.resolve(path.dirname(importer), specifier.replace(/\.js$/, '.ts')) };
    });
    onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
      const { code } = await transform(readFileSync(file, 'utf8'), { ...DECORATORS, filename: file, swcrc: false });
      return { contents: code, loader: 'js' };
    });
  },
};

/** Built once per Jest run. */
export default async function bundleApplication() {
  if (globalThis.waystationApplication) return;
  globalThis.waystationApplication = true;
  const { outputFiles, metafile } = await build({
    ...PROGRAM_BUNDLE,
    absWorkingDir: ROOT,
    entryPoints: entries(),
    outdir: OUT,
    splitting: true,
    write: false,
    metafile: true,
    chunkNames: 'chunks/[name]-[hash]',
    plugins: [withDecorators],
    external: NOT_BUNDLED,
    logLevel: 'error',
  });
  for (const { path: file, contents } of outputFiles) writeChanged(file, contents);
  const exportsOf = Object.entries(metafile.outputs)
    .map(([file, { exports }]) => [nameOf(file), exports])
    .filter(([name]) => /^(src|packages)\/.*(?<!\.map)$/.test(name));
  for (const [name, exported] of exportsOf) writeChanged(path.join(STAND_INS, `${name}.js`), standIn(name, exported));
  writeChanged(INDEX, indexOf(exportsOf.map(([name]) => name)));
}

function nameOf(output) {
  return path.relative(OUT, path.join(ROOT, output)).replaceAll(path.sep, '/').replace(/\.js$/, '');
}

/** Metadata comes first: a split bundle evaluates decorated classes in another order than their modules do. */
function indexOf(names) {
  const lines = names.map((name, at) => `import * as m${at} from './${name}.js';`);
  const members = names.map((name, at) => `${JSON.stringify(name)}: m${at}`);
  return Buffer.from(`import 'reflect-metadata';\n${lines.join('\n')}\nexport default { ${members.join(', ')} };\n`);
}

function standIn(name, exported) {
  const lines = exported.map((one) =>
    one === 'default' ? 'export default loaded.default;' : `export const ${one} = loaded.${one};`,
  );
  return Buffer.from(`const loaded = WAYSTATION_APPLICATION[${JSON.stringify(name)}];\n${lines.join('\n')}\n`);
}

/** The imports, under the names that jest.config.js maps them to. */
function entries() {
  const found = new Map();
  for (const { names, from } of IMPORTERS.flatMap(importsIn)) {
    const source = /\/src\/(.*)\.js$/.exec(from)?.[1];
    if (source) found.set(`src/${source}`, path.join(ROOT, 'src', `${source}.ts`));
    else if (SHARED.test(from))
      found.set(`packages/${from}`, new Set([...(found.get(`packages/${from}`) ?? []), ...names]));
  }
  return [...found].map(([out, entry]) => ({ out, in: typeof entry === 'string' ? entry : packageEntry(out, entry) }));
}

function importsIn(folder) {
  const files = readdirSync(path.join(ROOT, folder), { recursive: true }).filter((file) => file.endsWith('.ts'));
  return files.flatMap((file) => {
    const text = readFileSync(path.join(ROOT, folder, file), 'utf8');
    return [...text.matchAll(/^import (?!type )(?:\{([^}]*)\} from )?'([^']+)';/gm)].map(([, names = '', from]) => ({
      from,
      names: names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name && !name.startsWith('type ')),
    }));
  });
}

/** A bundler cannot see a CommonJS package's names, so they are listed. */
function packageEntry(out, names) {
  const name = out.replace('packages/', '');
  const file = path.join(OUT, 'entries', `${name.replaceAll('/', '-')}.mjs`);
  const list = [...names].join(', ');
  writeChanged(file, Buffer.from(list ? `export { ${list} } from '${name}';\n` : `import '${name}';\n`));
  return file;
}

/** Leaves unchanged files alone: another run may be reading them. */
function writeChanged(file, contents) {
  mkdirSync(path.dirname(file), { recursive: true });
  if (!isSame(file, contents)) writeFileSync(file, contents);
}

function isSame(file, contents) {
  try {
    return readFileSync(file).equals(contents);
  } catch {
    return false;
  }
}
