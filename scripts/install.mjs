// Installs the packages in two steps, so that other work can continue while SQLite is compiled.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const stamp = path.join(root, 'node_modules', '.waystation-lock');
const wanted = createHash('sha256')
  .update(readFileSync(path.join(root, 'package-lock.json')))
  .update(process.versions.modules)
  .digest('hex');

const NPM = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const QUIET = ['--no-fund', '--no-audit', '--loglevel=error'];
const NO_COMPILER =
  "SQLite's program could neither be downloaded from GitHub nor compiled here. Compiling needs make, a C++ compiler, Python 3 and the headers of Node.";

/** Running child processes. */
const children = new Set();

/** Whether node_modules matches package-lock.json and this version of Node. */
export function isInstalled() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
}

/** Installs the packages without running their scripts. */
export function fetchPackages() {
  return step('Installing packages', NPM, ['ci', '--ignore-scripts', ...QUIET]);
}

/** Runs the packages' scripts: SQLite's downloads its native code, or compiles it, which takes a minute or two. */
export async function buildPackages() {
  await step('Preparing SQLite', NPM, ['rebuild', ...QUIET], { ...process.env, ...localHeaders() });
  writeFileSync(stamp, wanted);
}

/** Saves node-gyp from downloading Node's headers if they came with Node. */
function localHeaders() {
  const prefix = path.dirname(path.dirname(process.execPath));
  const isThere = existsSync(path.join(prefix, 'include', 'node', 'node.h'));
  return isThere ? { npm_package_config_node_gyp_nodedir: prefix } : {};
}

/**
 * Runs a command and shows how long it takes. Its output goes to a file; a failure prints one line and ends the process.
 * @param {string} name @param {string} command @param {string[]} args @param {NodeJS.ProcessEnv} [env]
 */
export function step(name, command, args, env = process.env) {
  const begin = Date.now();
  const show = lineOf(name);
  const output = [];
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] });
  children.add(child);
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  const timer = setInterval(() => show(`${name}... ${secondsSince(begin)} s`, false), 1000);
  show(`${name}...`, false);
  return new Promise((resolve) => {
    const finish = (failure) => {
      clearInterval(timer);
      children.delete(child);
      if (failure === null) {
        show(`${name}: done in ${secondsSince(begin)} s`, true);
        resolve();
        return;
      }
      const text = Buffer.concat(output).toString('utf8');
      show(`${name} failed (${failure}): ${reasonIn(text)} All of its output: ${keep(text)}`, true);
      for (const other of children) other.kill();
      process.exit(1);
    };
    child.once('error', (error) => finish(error.message));
    child.once('close', (code, signal) => finish(code === 0 ? null : `${signal ?? `exit code ${code}`}`));
  });
}

function secondsSince(begin) {
  return Math.round((Date.now() - begin) / 1000);
}

/** Lines of parallel steps, the last of which a terminal shows. */
const lines = [];

/** Shows the state of a step: on a terminal in a line that is overwritten, otherwise in lines at its beginning and end. */
function lineOf(name) {
  const { stdout } = process;
  if (!stdout.isTTY) {
    return (text, isLast) => {
      if (isLast || text === `${name}...`) console.log(text);
    };
  }
  const index = lines.push('') - 1;
  console.log('');
  return (text) => {
    lines[index] = text;
    const up = lines.length - index;
    stdout.write(`\x1b[${up}A\r${text.slice(0, (stdout.columns || 80) - 1)}\x1b[K\x1b[${up}B\r`);
    if (text.includes(' failed (')) stdout.write(`${text}\n`);
  };
}

function reasonIn(text) {
  if (/node-gyp|gyp ERR|prebuild-install/.test(text)) return NO_COMPILER;
  const faults = text.split('\n').filter((line) => /^npm (error|ERR!) (?!A complete log|code )\S/.test(line));
  return `${(faults[0] ?? text.trim().split('\n').at(-1) ?? '').replace(/^npm (error|ERR!) /, '').slice(0, 300)}.`;
}

function keep(text) {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'waystation-install-')), 'output.txt');
  appendFileSync(file, text);
  return file;
}
