// `npm run build`: src becomes modules in build/, and these with the packages that they use become the program in dist/.
// A start reads some files then instead of 2,600; docs/adr/0019 has the figures.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { buildConsole } from './build-console.mjs';
import { BUNDLED_LIST, bundledPackages, licensesOf } from './bundled-packages.mjs';
import { linkCommand } from './link-command.mjs';
import { asPart, NEW_NAMESPACE, replaced, TARGET, withOneNamespace, withParts } from './program-parts.mjs';

const root = path.dirname(import.meta.dirname);
/** Packages with files of their own, which stay outside; they are installed with the program. All others are for development only. */
const { dependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** What the packages can work with and look for, but this program does not use. */
const NOT_USED = [
  'swagger-ui-dist',
  '@nestjs/microservices',
  '@nestjs/websockets',
  '@fastify/static',
  'pg-native',
  'supports-color',
];

/**
 * Modules that packages load at every start, but this program never calls: databases that it does not speak, telephone numbers,
 * uploads, old encodings, patterns of file names. To read them took a fifth of the time of a start.
 */
const NEVER_CALLED = new RegExp(
  [
    'libphonenumber-js/max/index\\.cjs',
    'multer/index\\.js',
    'iconv-lite/lib/index\\.js',
    'glob/dist/commonjs/(index|index\\.min)\\.js',
    '@sqltools/formatter/lib/index\\.js',
    'typeorm/entity-manager/MongoEntityManager\\.js',
    `typeorm/driver/(${[
      ...[
        'aurora-mysql',
        'aurora-postgres',
        'better-sqlite3',
        'capacitor',
        'cockroachdb',
        'cordova',
        'expo',
        'mongodb',
      ],
      ...['mysql', 'nativescript', 'oracle', 'react-native', 'sap', 'spanner', 'sqljs', 'sqlserver'],
    ].join('|')})/\\w+(Driver|QueryRunner)\\.js`,
  ]
    .map((file) => `[\\\\/]node_modules[\\\\/]${file.replaceAll('/', '[\\\\/]')}$`)
    .join('|'),
);

/** The page of the API reference: what a browser loads of the 12 MB of its package. */
const PAGE_SOURCE = 'node_modules/swagger-ui-dist';
const PAGE_FILES = [
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui-standalone-preset.js',
  'swagger-ui-standalone-preset.js.LICENSE.txt',
  'swagger-ui.css',
];

const shared = {
  absWorkingDir: root,
  outbase: 'build',
  outdir: 'dist',
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: TARGET,
  // Names of classes are names of tables, schemas and errors.
  keepNames: true,
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};

/**
 * @nestjs/typeorm asks for classes of older versions at run time, with a `require` that no bundler sees: it would load all of TypeORM
 * a second time, from hundreds of files. Nothing here uses them.
 */
const withoutOldTypeOrm = {
  name: 'without-old-typeorm',
  setup({ onLoad }) {
    onLoad({ filter: /@nestjs[\\/]typeorm[\\/]dist[\\/]common[\\/]typeorm-compat\.js$/ }, () => ({
      contents: 'export const Connection = undefined, AbstractRepository = undefined;',
    }));
  },
};

/** The driver of PostgreSQL asks at each start whether it runs at Cloudflare, and for that has Node load its whole HTTP client. */
const withoutCloudflare = {
  name: 'without-cloudflare',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]pg[\\/]lib[\\/]stream\.js$/ }, ({ path: file }) => ({
      contents: replaced(readFileSync(file, 'utf8'), 'if (isCloudflareRuntime())', 'if (false)'),
    }));
  },
};

const withoutNeverCalled = {
  name: 'without-never-called',
  setup({ onLoad }) {
    onLoad({ filter: NEVER_CALLED }, () => ({ contents: 'module.exports = {};' }));
  },
};

const ENTRIES = ['cli', 'main', 'agent', 'code-cache', 'cli/entry-lines'];
const begin = new Date();
compile();
const page = copyPage();
const parts = [await bundleProgram(), await bundleAlone('client/waystation-client'), await bundleAlone('parts')];
const consolePage = await buildConsole();
const called = parts.flatMap(({ inputs }) => inputs).filter((file) => !NEVER_CALLED.test(`/${file}`));
const bundled = [...called, ...consolePage.inputs, PAGE_SOURCE];
const packages = bundledPackages(root, bundled);
const licenses = writeText('dist/licenses.txt', licensesOf(root, packages));
const list = writeText(`dist/${BUNDLED_LIST}`, `${JSON.stringify(packages, null, 2)}\n`);
const written = [
  ...parts.flatMap(({ outputs }) => outputs),
  ...compileAhead(),
  ...copyTypes(),
  ...page,
  ...consolePage.outputs,
  licenses,
  list,
];
removeAllBut(new Set(written.map((file) => path.join(root, file))));
linkCommand(root);
// Says of when the sources are that were built: what was saved meanwhile is newer.
utimesSync(path.join(root, licenses), begin, begin);

function compile() {
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const done = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

/** @returns {Promise<{ inputs: string[], outputs: string[] }>} files that it read and wrote */
async function bundleProgram() {
  const { metafile, outputFiles } = await build({
    ...shared,
    // The demonstration writes log entries as the command line does.
    entryPoints: ENTRIES.map((name) => `build/${name}.js`),
    splitting: true,
    write: false,
    plugins: [withoutOldTypeOrm, withoutCloudflare, withoutNeverCalled],
    external: ['./parts.js', ...Object.keys(dependencies), ...NOT_USED.flatMap((name) => [name, `${name}/*`])],
  });
  const texts = new Map(
    outputFiles.map(({ path: file, text }) => [path.relative(root, file).replaceAll(path.sep, '/'), text]),
  );
  const [[helpers, helpersText]] = [...texts].filter(([, text]) => text.includes(NEW_NAMESPACE));
  texts.set(helpers, withOneNamespace(helpersText));
  const modules = Object.entries(metafile.outputs).filter(([file]) => file.endsWith('.js'));
  const isPart = ([, { entryPoint }]) => !ENTRIES.some((name) => entryPoint === `build/${name}.js`);
  const names = modules.filter(isPart).map(([file]) => path.basename(file));
  const written = await Promise.all(
    modules.map(async ([file, output]) =>
      isPart([file, output])
        ? writePart(file, await asPart(file, withParts(texts.get(file), names), texts.get(`${file}.map`)))
        : writeEntry(file, withParts(texts.get(file), names), texts.get(`${file}.map`)),
    ),
  );
  return { inputs: Object.keys(metafile.inputs), outputs: written.flat() };
}

function writePart(file, { code, map }) {
  const target = file.replace(/\.js$/, '.cjs');
  return [
    writeText(target, `${inAscii(code)}//# sourceMappingURL=${path.basename(target)}.map\n`),
    writeText(`${target}.map`, map),
  ];
}

/**
 * The engine keeps the text of a part as long as the process runs, with two bytes a character if one of them is not ASCII. esbuild leaves
 * such characters in comments and regular expressions only.
 */
function inAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What the entries load when they run comes through src/parts.ts. */
function writeEntry(file, text, map) {
  const loading = text.replace(/await import\((".\/[\w-]+\.cjs")\)/g, '(await import("./parts.js")).part($1)');
  return [writeText(file, loading), writeText(`${file}.map`, map)];
}

/** One file that takes nothing for granted: programs of others bundle the client again, also as CommonJS. */
async function bundleAlone(name) {
  const { metafile } = await build({ ...shared, entryPoints: [`build/${name}.js`] });
  return { inputs: Object.keys(metafile.inputs), outputs: Object.keys(metafile.outputs) };
}

/** To start is faster with it, and possible without it. @returns {string[]} the file, unless it could not be made */
function compileAhead() {
  const { status } = spawnSync(process.execPath, [path.join(root, 'dist', 'code-cache.js')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status === 0) return ['dist/code-cache.bin'];
  console.warn('What the engine compiled could not be kept: starts take longer.');
  return [];
}

/** For programs in TypeScript that import `waystation/client`: the types of the entry, and all that these refer to. */
function copyTypes() {
  const names = ['client/waystation-client'];
  for (const name of names) {
    const text = readFileSync(path.join(root, 'build', `${name}.d.ts`), 'utf8');
    const referred = [...text.matchAll(/from '(\.[^']+)\.js'/g)].map(([, to]) =>
      path.posix.join(path.posix.dirname(name), to),
    );
    names.push(...referred.filter((to) => !names.includes(to)));
  }
  return names.map((name) => {
    const target = path.join('dist', `${name}.d.ts`);
    mkdirSync(path.dirname(path.join(root, target)), { recursive: true });
    copyFileSync(path.join(root, 'build', `${name}.d.ts`), path.join(root, target));
    return target;
  });
}

function copyPage() {
  mkdirSync(path.join(root, 'dist', 'swagger-ui'), { recursive: true });
  return PAGE_FILES.map((name) => {
    const target = path.join('dist', 'swagger-ui', name);
    copyFileSync(path.join(root, PAGE_SOURCE, name), path.join(root, target));
    return target;
  });
}

function writeText(file, text) {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
  writeFileSync(path.join(root, file), text);
  return file;
}

/** What earlier builds left. Last, so that a program that starts meanwhile finds its parts, and nothing of a later build. */
function removeAllBut(kept) {
  const entries = readdirSync(path.join(root, 'dist'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  for (const file of files) if (!kept.has(file) && isOlder(file)) rmSync(file, { force: true });
}

function isOlder(file) {
  return (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? Infinity) < begin.getTime();
}
