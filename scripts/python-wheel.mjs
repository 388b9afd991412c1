// Builds the wheel of a Python package in clients/ as its own build_backend does: the same files, without Python.
import { hash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { crc32 } from 'node:zlib';

const KEPT = new Set(['.py', '.typed', '.json']);
/** 1980-01-01, the first date of the zip format. */
const DAY = 0x0021;
const FILE_MODE = 0o100644;

/** @throws {Error} for a pyproject.toml without a field that a wheel needs */
export function pythonWheel(folder, license) {
  const project = readProject(folder);
  const base = `${project.name.replaceAll('-', '_')}-${project.version}`;
  const info = `${base}.dist-info`;
  const files = new Map(sourcesIn(path.join(folder, 'src')));
  files.set(`${info}/METADATA`, metadataOf(project, readFileSync(path.join(folder, 'README.md'), 'utf8')));
  files.set(
    `${info}/WHEEL`,
    Buffer.from('Wheel-Version: 1.0\nGenerator: waystation\nRoot-Is-Purelib: true\nTag: py3-none-any\n'),
  );
  files.set(`${info}/licenses/LICENSE`, license);
  const record = inOrder([...files]).map(
    ([name, bytes]) => `${name},sha256=${hash('sha256', bytes, 'base64url')},${bytes.length}\n`,
  );
  files.set(`${info}/RECORD`, Buffer.from(`${record.join('')}${info}/RECORD,,\n`));
  // The specification recommends the metadata at the end.
  const isInfo = ([name]) => name.startsWith(`${info}/`);
  const sorted = inOrder([...files]);
  const entries = [...sorted.filter((file) => !isInfo(file)), ...sorted.filter(isInfo)];
  const { name, version, summary } = project;
  return { name: `${base}-py3-none-any.whl`, bytes: zipOf(entries), project: { name, version, summary } };
}

function inOrder(files) {
  return files.sort(([one], [other]) => (one < other ? -1 : 1));
}

function sourcesIn(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && KEPT.has(path.extname(entry.name)) && !entry.parentPath.includes('__pycache__'),
    )
    .map((entry) => path.join(entry.parentPath, entry.name))
    .map((file) => [path.relative(folder, file).split(path.sep).join('/'), readFileSync(file)]);
}

function readProject(folder) {
  const text = readFileSync(path.join(folder, 'pyproject.toml'), 'utf8');
  const section = (name) => new RegExp(`^\\[${name}\\]\\n([^]*?)(?=^\\[|(?![^]))`, 'm').exec(text)?.[1] ?? '';
  const project = section('project');
  const field = (name) => {
    const found = new RegExp(`^${name} = "(.*)"$`, 'm').exec(project)?.[1];
    if (found === undefined) throw new Error(`${folder}/pyproject.toml has no ${name}`);
    return found;
  };
  const extras = section('project.optional-dependencies');
  return {
    ...{ name: field('name'), version: field('version'), summary: field('description') },
    ...{ python: field('requires-python'), dependencies: listIn(project, 'dependencies') },
    extras: [...extras.matchAll(/^([a-z-]+) = \[/gm)].map(([, name]) => [name, listIn(extras, name)]),
  };
}

function listIn(section, name) {
  const found = new RegExp(`^${name} = \\[([^]*?)\\]$`, 'm').exec(section)?.[1] ?? '';
  return [...found.matchAll(/"([^"]+)"/g)].map(([, one]) => one);
}

function metadataOf({ name, version, summary, python, dependencies, extras }, readme) {
  const lines = [
    ...['Metadata-Version: 2.1', `Name: ${name}`, `Version: ${version}`, `Summary: ${summary}`],
    ...['License: Apache-2.0', `Requires-Python: ${python}`],
    ...dependencies.map((one) => `Requires-Dist: ${one}`),
    ...extras.flatMap(([extra, needed]) => [
      `Provides-Extra: ${extra}`,
      ...needed.map((one) => `Requires-Dist: ${one}; extra == "${extra}"`),
    ]),
    ...['Description-Content-Type: text/markdown', '', readme],
  ];
  return Buffer.from(lines.join('\n'));
}

/** A zip file with uncompressed entries (APPNOTE 4.3.7, 4.3.12, 4.3.16). */
function zipOf(entries) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, bytes] of entries) {
    const common = headerOf(name, bytes);
    const local = Buffer.concat([signature(0x04034b50), common, Buffer.from(name)]);
    const central = Buffer.alloc(14);
    central.writeUInt32LE(FILE_MODE * 0x10000, 6);
    central.writeUInt32LE(offset, 10);
    // Made by version 2.0 on Unix, which has file modes.
    directory.push(signature(0x02014b50), Buffer.from([20, 3]), common, central, Buffer.from(name));
    parts.push(local, bytes);
    offset += local.length + bytes.length;
  }
  const index = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(index.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, index, signature(0x06054b50), end]);
}

/** The common fields of the local header and the directory: from the version to the length of the extra field. */
function headerOf(name, bytes) {
  const header = Buffer.alloc(26);
  header.writeUInt16LE(20, 0);
  header.writeUInt16LE(DAY, 8);
  header.writeUInt32LE(crc32(bytes), 10);
  header.writeUInt32LE(bytes.length, 14);
  header.writeUInt32LE(bytes.length, 18);
  header.writeUInt16LE(Buffer.byteLength(name), 22);
  return header;
}

function signature(number) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(number);
  return bytes;
}
