// `node clients/build.mjs NAME`: builds the npm package of a folder in clients/: ES modules and CommonJS, each with types, and the
// licence. `typescript` is built from the project's src/client, the others file by file without their frameworks. The tests have those,
// and check the types.
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
import path from 'node:path';

const CLIENTS = import.meta.dirname;
const ROOT = path.dirname(CLIENTS);
const ENTRY = 'client/waystation-client';
// Overrides `npm pack --dry-run`, which would also make the npm started here do nothing.
const ENV = { ...process.env, npm_config_dry_run: 'false' };
const FORMATS = { esm: 'module', cjs: 'commonjs' };

/** The npm packages. */
export const NPM_CLIENTS = ['typescript', 'langgraph-js', 'openai-agents', 'claude-sessions', 'ai-sdk'];

if (process.argv[1] === import.meta.filename) await buildForPacking(process.argv[2]);

/** Works offline and reproducibly. @param target becomes the package's `dist` */
export async function buildClient(name, target) {
  rmSync(target, { recursive: true, force: true });
  if (name === 'typescript') await bundleClient(target);
  else await transpileAdapter(path.join(CLIENTS, name), target);
  for (const [format, type] of Object.entries(FORMATS)) {
    writeFileSync(path.join(target, format, 'package.json'), `${JSON.stringify({ type })}\n`);
  }
}

async function buildForPacking(name) {
  for (const script of ['ensure-installed', 'ensure-built']) run(path.join(ROOT, 'scripts', `${script}.mjs`));
  const folder = path.join(CLIENTS, name);
  // Keeps an up-to-date build: programs of other tests may be using it.
  if (isUpToDate(name, folder)) return;
  await buildClient(name, path.join(folder, 'dist'));
  copyFileSync(path.join(ROOT, 'LICENSE'), path.join(folder, 'LICENSE'));
}

function isUpToDate(name, folder) {
  const built = changeOf(path.join(folder, 'dist', Object.keys(FORMATS).at(-1), 'package.json'));
  const own = ['package.json', 'src', ...sourcesIn(path.join(folder, 'src'))];
  const others = name === 'typescript' ? [path.join(ROOT, 'dist', 'licenses.txt')] : [];
  const sources = [path.join(CLIENTS, 'build.mjs'), ...others, ...own.map((file) => path.join(folder, file))];
  return sources.every((file) => changeOf(file) < built);
}

function sourcesIn(source) {
  return existsSync(source) ? readdirSync(source).map((file) => path.join('src', file)) : [];
}

/** Modification time of a file; 0 if there is none. */
function changeOf(file) {
  return statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

/** One file per module format, and the entry's types with all that they refer to. */
async function bundleClient(target) {
  // A clone may have the built program without its modules.
  if (!existsSync(path.join(ROOT, 'build', `${ENTRY}.js`))) {
    run(path.join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json');
  }
  const { build } = await import('esbuild');
  for (const format of Object.keys(FORMATS)) {
    await build({
      absWorkingDir: ROOT,
      entryPoints: [`build/${ENTRY}.js`],
      outfile: path.join(target, format, `${ENTRY}.js`),
      ...{ bundle: true, format, platform: 'node', target: 'node20.19', keepNames: true, legalComments: 'none' },
    });
    for (const file of typesOf(ENTRY)) {
      mkdirSync(path.dirname(path.join(target, format, file)), { recursive: true });
      copyFileSync(path.join(ROOT, 'build', file), path.join(target, format, file));
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

/** @throws {Error} for a declaration whose type needs another file */
async function transpileAdapter(folder, target) {
  const { default: ts } = await import('typescript');
  const { config } = ts.readConfigFile(path.join(folder, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, folder);
  const modules = { esm: ts.ModuleKind.ESNext, cjs: ts.ModuleKind.CommonJS };
  for (const name of readdirSync(path.join(folder, 'src'))) {
    const text = readFileSync(path.join(folder, 'src', name), 'utf8');
    const given = (more) => ({
      fileName: name,
      reportDiagnostics: true,
      compilerOptions: { ...options, moduleResolution: ts.ModuleResolutionKind.Bundler, rootDir: undefined, ...more },
    });
    const declarations = ts.transpileDeclaration(text, given({ isolatedDeclarations: true, module: modules.esm }));
    for (const format of Object.keys(FORMATS)) {
      const code = ts.transpileModule(text, given({ module: modules[format] }));
      const [fault] = [...code.diagnostics, ...declarations.diagnostics];
      if (fault) throw new Error(`${folder}/src/${name}: ${ts.flattenDiagnosticMessageText(fault.messageText, ' ')}`);
      mkdirSync(path.join(target, format), { recursive: true });
      writeFileSync(path.join(target, format, name.replace('.ts', '.js')), code.outputText);
      writeFileSync(path.join(target, format, name.replace('.ts', '.d.ts')), declarations.outputText);
    }
  }
}

function run(program, ...args) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...args], {
    ...{ cwd: ROOT, env: ENV, encoding: 'utf8' },
  });
  if (status === 0) return;
  process.stderr.write(`${stdout}${stderr}`);
  process.exit(status ?? 1);
}
