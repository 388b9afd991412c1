// `node clients/build.mjs NAME`: what `npm pack` puts into a package of clients/ for npm: ES modules and CommonJS, each with types, and the
// licence. `typescript` is made from src/client of the project; the others by their own compiler.
import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { ensureInstalled } from './ensure-installed.mjs';

const CLIENTS = import.meta.dirname;
const ROOT = path.dirname(CLIENTS);
const ENTRY = 'client/waystation-client';
// `npm pack --dry-run` tells the npm that it starts to do nothing, either.
const ENV = { ...process.env, npm_config_dry_run: 'false' };
const FORMATS = { esm: 'module', cjs: 'commonjs' };

const name = process.argv[2];
const folder = path.join(CLIENTS, name ?? '');
const dist = path.join(folder, 'dist');

if (name === 'typescript') {
  for (const script of ['ensure-installed', 'ensure-built']) {
    run(process.execPath, [path.join(ROOT, 'scripts', `${script}.mjs`)], ROOT);
  }
} else {
  ensureInstalled(folder);
  // Its types are those of the client.
  run(process.execPath, [path.join(CLIENTS, 'build.mjs'), 'typescript'], CLIENTS);
}
// What is built already stays: programs of other tests may be using it.
if (!isUpToDate()) {
  rmSync(dist, { recursive: true, force: true });
  if (name === 'typescript') await bundleClient();
  else compileAdapter();
  copyFileSync(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'));
  for (const [format, type] of Object.entries(FORMATS)) {
    writeFileSync(path.join(dist, format, 'package.json'), `${JSON.stringify({ type })}\n`);
  }
}

function isUpToDate() {
  const built = changeOf(path.join(dist, Object.keys(FORMATS).at(-1), 'package.json'));
  const own = ['package.json', 'tsconfig.json', 'src', ...sourcesIn(path.join(folder, 'src'))];
  const others = name === 'typescript' ? [path.join(ROOT, 'dist', 'licenses.txt')] : [];
  const sources = [path.join(CLIENTS, 'build.mjs'), ...others, ...own.map((file) => path.join(folder, file))];
  return sources.every((file) => changeOf(file) < built);
}

function sourcesIn(source) {
  return existsSync(source) ? readdirSync(source).map((file) => path.join('src', file)) : [];
}

/** When a file was changed last; at no time where there is none. */
function changeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** One file each, and the types of the entry with all that they refer to. */
async function bundleClient() {
  // A clone may have the program that was built from these sources, but not its modules.
  if (!existsSync(path.join(ROOT, 'build', `${ENTRY}.js`))) {
    const tsc = path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
    run(process.execPath, [tsc, '-p', 'tsconfig.build.json'], ROOT);
  }
  const { build } = await import('esbuild');
  for (const format of Object.keys(FORMATS)) {
    await build({
      absWorkingDir: ROOT,
      entryPoints: [`build/${ENTRY}.js`],
      outfile: path.join(dist, format, `${ENTRY}.js`),
      ...{ bundle: true, format, platform: 'node', target: 'node20.19', keepNames: true, legalComments: 'none' },
    });
    for (const file of typesOf(ENTRY)) {
      mkdirSync(path.dirname(path.join(dist, format, file)), { recursive: true });
      copyFileSync(path.join(ROOT, 'build', file), path.join(dist, format, file));
    }
  }
}

function typesOf(entry) {
  const names = [entry];
  for (const one of names) {
    const text = readFileSync(path.join(ROOT, 'build', `${one}.d.ts`), 'utf8');
    const referred = [...text.matchAll(/from '(\.[^']+)\.js'/g)].map(([, to]) =>
      path.posix.join(path.posix.dirname(one), to),
    );
    names.push(...referred.filter((to) => !names.includes(to)));
  }
  return names.map((one) => `${one}.d.ts`);
}

/**
 * The compiler checks and writes the ES modules. The copy for CommonJS is the same sources, module by module, and has the same types: a
 * second check of them would take seconds and find nothing (`isolatedModules` sees to it).
 */
function compileAdapter() {
  const own = createRequire(path.join(folder, 'package.json'));
  run(process.execPath, [own.resolve('typescript/bin/tsc'), '-p', 'tsconfig.json', '--outDir', 'dist/esm'], folder);
  const ts = own('typescript');
  const { config } = ts.readConfigFile(path.join(folder, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, folder);
  const compilerOptions = {
    ...options,
    module: ts.ModuleKind.CommonJS,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
  };
  const [esm, cjs] = [path.join(dist, 'esm'), path.join(dist, 'cjs')];
  mkdirSync(cjs, { recursive: true });
  for (const file of readdirSync(esm).filter((one) => one.endsWith('.d.ts'))) {
    copyFileSync(path.join(esm, file), path.join(cjs, file));
    const source = path.join(folder, 'src', file.replace('.d.ts', '.ts'));
    const { outputText } = ts.transpileModule(readFileSync(source, 'utf8'), { fileName: source, compilerOptions });
    writeFileSync(path.join(cjs, file.replace('.d.ts', '.js')), outputText);
  }
}

function run(program, args, cwd) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env: ENV, encoding: 'utf8' });
  if (status === 0) return;
  process.stderr.write(`${stdout}${stderr}`);
  process.exit(status ?? 1);
}
