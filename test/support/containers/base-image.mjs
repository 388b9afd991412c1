// Builds a base image from files of this machine, so that no registry is needed: Node, Python 3, tini, a shell and a few tools, each with
// its libraries. Also works alone: `node test/support/containers/base-image.mjs podman` prints the name.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const TOOLS = ['cat', 'chmod', 'chown', 'env', 'ln', 'ls', 'mkdir', 'sleep'];
/** Large parts of Python that no agent of the tests needs. */
const NOT_NEEDED =
  /\/(test|tests|idlelib|lib2to3|ensurepip|distutils|tkinter|pydoc_data|__pycache__|config-[^/]+|dist-packages|site-packages)(\/|$)/;

/** @param {string} engine @returns {string} the image's name */
export function makeBaseImage(engine) {
  const parts = [process.execPath, whereIs('tini'), shell(), ...TOOLS.map(whereIs), python().program];
  const digest = createHash('sha256').update(readFileSync(import.meta.filename));
  for (const part of parts) digest.update(`${part} ${statSync(part).size} ${statSync(part).mtimeMs}\n`);
  const image = `localhost/waystation-test-base:${digest.digest('hex').slice(0, 12)}`;
  if (spawnSync(engine, ['image', 'inspect', image]).status === 0) return image;
  const root = mkdtempSync(path.join(os.tmpdir(), 'waystation-base-'));
  try {
    fill(root, parts);
    importImage(engine, root, image);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return image;
}

function fill(root, parts) {
  const [node, tini, sh, ...others] = parts;
  const { program, library } = python();
  const tools = others.filter((part) => part !== program);
  place(root, node, '/usr/bin/node');
  place(root, tini, '/usr/bin/tini');
  place(root, sh, '/bin/sh');
  for (const tool of tools) place(root, tool, `/bin/${path.basename(tool)}`);
  place(root, program, path.join(pythonFolder(), 'python3'));
  cpSync(library, path.join(root, library), {
    recursive: true,
    dereference: true,
    filter: (file) => !NOT_NEEDED.test(file.slice(library.length)),
  });
  for (const folder of ['etc', 'tmp', 'run', 'var/lib']) mkdirSync(path.join(root, folder), { recursive: true });
  writeFileSync(path.join(root, 'etc/passwd'), 'root:x:0:0:root:/root:/bin/sh\n');
  must(spawnSync('chmod', ['755', root]));
  must(spawnSync('chmod', ['1777', path.join(root, 'tmp')]));
}

function place(root, source, target) {
  copy(source, path.join(root, target));
  for (const library of librariesOf(source)) copy(library, path.join(root, library));
}

function copy(source, target) {
  if (existsSync(target)) return;
  mkdirSync(path.dirname(target), { recursive: true });
  copyFileSync(realpathSync(source), target);
}

function librariesOf(program) {
  const { stdout } = spawnSync('ldd', [program], { encoding: 'utf8' });
  return stdout.match(/\/\S+/g)?.filter((file) => existsSync(file)) ?? [];
}

function importImage(engine, root, image) {
  const tar = `${root}.tar`;
  try {
    must(spawnSync('tar', ['--create', '--file', tar, '--owner', '0', '--group', '0', '--directory', root, '.']));
    must(
      spawnSync(engine, ['import', '--change', `ENV PATH=/usr/local/bin:/usr/bin:/bin:${pythonFolder()}`, tar, image]),
    );
  } finally {
    rmSync(tar, { force: true });
  }
}

function python() {
  const question = 'import os, sys; print(os.path.realpath(sys.executable)); print(os.path.dirname(os.__file__))';
  const own = '/usr/bin/python3';
  const done = must(spawnSync(existsSync(own) ? own : 'python3', ['-I', '-c', question], { encoding: 'utf8' }));
  const [program, library] = done.stdout.trim().split('\n');
  return { program, library };
}

/** Python finds its library relative to its own place. */
function pythonFolder() {
  return path.join(path.dirname(path.dirname(python().library)), 'bin');
}

function shell() {
  return realpathSync('/bin/sh');
}

function whereIs(name) {
  const found = (process.env.PATH ?? '').split(':').map((folder) => path.join(folder, name));
  const first = [...found, `/usr/bin/${name}`, `/bin/${name}`].find((file) => existsSync(file));
  if (first === undefined) throw new Error(`${name} is not on this machine`);
  return first;
}

function must(done) {
  if (done.status === 0) return done;
  throw new Error(`${done.error?.message ?? done.stderr?.toString() ?? 'failed'}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(makeBaseImage(process.argv[2] ?? 'podman'));
