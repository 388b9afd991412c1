// `npm run build`: compiles src to modules in build/, and bundles these with their packages to the program in dist/ (docs/adr/0019).
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { buildClients } from './build-clients.mjs';
import { buildConsole } from './build-console.mjs';
import { buildGuides } from './build-guides.mjs';
import { NOT_BUNDLED, PROGRAM_BUNDLE } from './bundling.mjs';
import { BUNDLED_LIST, bundledPackages, licensesOf } from './bundled-packages.mjs';
import { linkCommand } from './link-command.mjs';

const root = path.dirname(import.meta.dirname);
const dist = path.join(root, 'dist');
const EXAMPLE_DATA = 'example-data.jsonl.gz';
const SWAGGER_UI = 'node_modules/swagger-ui-dist';
const ENTRIES = ['cli', 'main', 'agent', 'cli/entry-formatter'];

const shared = {
  ...PROGRAM_BUNDLE,
  absWorkingDir: root,
  outbase: 'build',
  outdir: 'dist',
  sourcemap: true,
  sourcesContent: false,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
};

const begin = new Date();
const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
const compiled = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
const program = await build({
  ...shared,
  entryPoints: ENTRIES.map((name) => `build/${name}.js`),
  splitting: true,
  external: NOT_BUNDLED,
});
// A single file: other programs bundle it again, also as CommonJS.
const client = await build({ ...shared, banner: {}, entryPoints: ['build/client/waystation-client.js'] });
const pageModules = await buildConsole();
await buildClients(await buildGuides());
cpSync(path.join(root, 'src/modules/examples', EXAMPLE_DATA), path.join(dist, EXAMPLE_DATA));
copy(path.join(root, SWAGGER_UI), path.join(dist, 'swagger-ui'), /swagger-ui(-bundle|-standalone-preset)?\.(js|css)/);
for (const folder of ['client', 'common']) copy(path.join(root, 'build', folder), path.join(dist, folder), /\.d\.ts$/);

const inputs = [program, client].flatMap(({ metafile }) => Object.keys(metafile.inputs));
const packages = bundledPackages(root, [...inputs, ...pageModules, SWAGGER_UI]);
writeFileSync(path.join(dist, BUNDLED_LIST), `${JSON.stringify(packages, null, 2)}\n`);
const licenses = path.join(dist, 'licenses.txt');
writeFileSync(licenses, licensesOf(root, packages));
removeOlder(begin);
linkCommand(root);
// Dated at the build's beginning, so that files saved meanwhile are newer.
utimesSync(licenses, begin, begin);

function copy(from, to, wanted) {
  const filter = (file) => statSync(file).isDirectory() || wanted.test(path.basename(file));
  cpSync(from, to, { recursive: true, filter });
}

/** Removes the files of earlier builds, last, so that a program starting meanwhile finds its files. */
function removeOlder(time) {
  const entries = readdirSync(dist, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const file of entries.map((entry) => path.join(entry.parentPath, entry.name)))
    if (statSync(file).mtime < time) rmSync(file, { force: true });
}
