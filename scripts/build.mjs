// `npm run build`: src becomes modules in build/, and these with the packages that they use become the program in dist/.
// A start reads some files then instead of 2,600; docs/adr/0019 has the figures.
import { spawnSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';

const root = path.dirname(import.meta.dirname);
const { unbundled } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));

/** What the packages can work with and look for, but this program does not use. */
const NOT_USED = ['@nestjs/microservices', '@nestjs/websockets', '@fastify/static', 'pg-native'];

compile();
const { inputs, outputs } = (await bundle()).metafile;
const written = [...Object.keys(outputs), ...copyTypes(), writeLicenses(Object.keys(inputs))];
removeAllBut(new Set(written.map((file) => path.join(root, file))));

function compile() {
  const tsc = path.join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const done = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  if (done.status !== 0) process.exit(done.status ?? 1);
}

function bundle() {
  return build({
    absWorkingDir: root,
    entryPoints: ['cli', 'main', 'agent', 'client/waystation-client'].map((name) => `build/${name}.js`),
    outbase: 'build',
    outdir: 'dist',
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: [...unbundled, ...NOT_USED.flatMap((name) => [name, `${name}/*`])],
    // Names of classes are names of tables, schemas and errors.
    keepNames: true,
    sourcemap: true,
    legalComments: 'none',
    // What packages in CommonJS take for granted.
    banner: {
      js: `import { createRequire as commonJsRequire } from 'node:module';
const require = commonJsRequire(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;`,
    },
    metafile: true,
    logLevel: 'warning',
  });
}

/** For programs in TypeScript that import `waystation/client`. */
function copyTypes() {
  const names = readdirSync(path.join(root, 'build', 'client')).filter((name) => name.endsWith('.d.ts'));
  return names.map((name) => {
    const target = path.join('dist', 'client', name);
    copyFileSync(path.join(root, 'build', 'client', name), path.join(root, target));
    return target;
  });
}

/** Whoever hands a package's code on hands its licence on. */
function writeLicenses(inputs) {
  const folders = inputs.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]);
  const texts = [...new Set(folders)].filter(Boolean).sort().map(licenseOf);
  const target = path.join('dist', 'licenses.txt');
  writeFileSync(path.join(root, target), `The program contains these packages.\n\n${texts.join('\n\n')}\n`);
  return target;
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(path.join(root, folder, 'package.json'), 'utf8'));
  const file = readdirSync(path.join(root, folder)).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const text = file ? readFileSync(path.join(root, folder, file), 'utf8').trim() : '';
  return `== ${name} ${version}, ${license}\n${text}`;
}

/** What earlier builds left. Last, so that a program that starts meanwhile finds its parts. */
function removeAllBut(kept) {
  const entries = readdirSync(path.join(root, 'dist'), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  for (const file of files) if (!kept.has(file)) rmSync(file);
}
