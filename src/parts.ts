// How the built program loads its parts (docs/adr/0019): they are CommonJS, because for that Node lets a program keep what the engine has
// compiled. To compile them again at each start took a third of its time. This comes before all of the program, and imports nothing of it.
import { isAscii } from 'node:buffer';
import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';

interface Part {
  exports: unknown;
}

interface Index {
  /** The Node that compiled. */
  engine: string;
  /** Of each part: where that which was compiled begins, and its length, in bytes after the index. */
  places: Record<string, [begin: number, length: number]>;
}

const FOLDER = import.meta.dirname;
const FOLDER_URL = pathToFileURL(`${FOLDER}${path.sep}`).href;
const CACHE = path.join(FOLDER, 'code-cache.bin');
const HEAD_BYTES = 4;
/** A part that is newer than the cache by more than an installation takes was changed by hand. */
const SAME_INSTALLATION_MS = 60_000;
/** In one line, so that lines in stacks are those of the file. */
const BEFORE = Buffer.from('(function (exports, require, module, __filename, __dirname) {');
const AFTER = Buffer.from('\n})');

/** What the engine compiled earlier. It is only valid for the very same Node and the very same parts, whose names have their digests. */
class CodeCache {
  private constructor(
    private readonly file: number,
    private readonly keptMs: number,
    private readonly begin: number,
    private readonly places: Index['places'],
  ) {}

  /** Null if there is none for this Node. */
  static open(): CodeCache | null {
    try {
      const file = openSync(CACHE, 'r'); // open as long as the process: parts are loaded at any time
      const length = bytesOf(file, 0, HEAD_BYTES).readUInt32LE();
      const { engine, places } = JSON.parse(bytesOf(file, HEAD_BYTES, length).toString()) as Index;
      return engine === thisEngine() ? new CodeCache(file, fstatSync(file).mtimeMs, HEAD_BYTES + length, places) : null;
    } catch {
      return null;
    }
  }

  /** Undefined if there is nothing for this part. @param partMs when the part was written */
  of(id: string, partMs: number): Buffer | undefined {
    const place = this.places[id];
    if (place === undefined || partMs - this.keptMs > SAME_INSTALLATION_MS) return undefined;
    try {
      return bytesOf(this.file, this.begin + place[0], place[1]);
    } catch {
      return undefined;
    }
  }
}

const nodeRequire = createRequire(import.meta.url);
const requireOfParts = Object.assign(
  (id: string): unknown => (id.startsWith('./') ? part(id) : nodeRequire(id)),
  nodeRequire,
);
/** For `--enable-source-maps`, which only knows what Node loads by itself. */
const isMapped = 'sourceMapsEnabled' in process && process.sourceMapsEnabled === true;
const parts = new Map<string, Part>();
const scripts = new Map<string, Script>();
let cache: CodeCache | null | undefined;

/** What the part exports; the first who asks for it runs it. @param id `./` and its file name */
export function part(id: string): unknown {
  if (isMapped) return nodeRequire(id);
  const known = parts.get(id);
  if (known !== undefined) return known.exports;
  const loaded: Part = { exports: {} };
  parts.set(id, loaded); // before it runs, since parts may need each other
  run(id, loaded);
  return loaded.exports;
}

/** Keeps what the engine has compiled of the parts by now, for all processes to come. Where nothing is kept they only start more slowly. */
export function keepCompiled(): void {
  const compiled = [...scripts].map(([id, script]) => [id, script.createCachedData()] as const);
  const index: Index = { engine: thisEngine(), places: {} };
  let length = 0;
  for (const [id, data] of compiled) {
    index.places[id] = [length, data.length];
    length += data.length;
  }
  const text = Buffer.from(JSON.stringify(index));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(text.length);
  const written = `${CACHE}.${process.pid}`;
  try {
    writeFileSync(written, Buffer.concat([head, text, ...compiled.map(([, data]) => data)]));
    renameSync(written, CACHE); // at once: other processes may be reading the one before
  } finally {
    rmSync(written, { force: true });
  }
}

function run(id: string, loaded: Part): void {
  const file = path.join(FOLDER, id);
  const { size, mtimeMs } = statSync(file);
  const source = wrappedSource(file, size);
  if (cache === undefined) cache = CodeCache.open();
  const cachedData = cache?.of(id, mtimeMs);
  const filename = FOLDER_URL + path.basename(id);
  const script = new Script(source, cachedData === undefined ? { filename } : { filename, cachedData });
  scripts.set(id, script);
  const body = script.runInThisContext() as (...args: unknown[]) => void;
  body.call(loaded.exports, loaded.exports, requireOfParts, loaded, file, FOLDER);
}

/** As a function. It is put together in bytes, since text that is put together would be copied once more. */
function wrappedSource(file: string, size: number): string {
  const source = Buffer.allocUnsafeSlow(BEFORE.length + size + AFTER.length);
  BEFORE.copy(source);
  const part = openSync(file, 'r');
  try {
    readFully(part, source.subarray(BEFORE.length, BEFORE.length + size), 0);
  } finally {
    closeSync(part);
  }
  AFTER.copy(source, BEFORE.length + size);
  // One byte a character, and nothing to decode.
  return source.toString(isAscii(source) ? 'latin1' : 'utf8');
}

/** Another build of the same version may give the engine's own objects other places. */
function thisEngine(): string {
  const { version, arch, platform, execPath } = process;
  return [version, process.versions.v8, platform, arch, statSync(execPath).size].join(' ');
}

/** @throws RangeError when the file is shorter */
function bytesOf(file: number, position: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafeSlow(length);
  readFully(file, bytes, position);
  return bytes;
}

/** @throws RangeError when the file is shorter */
function readFully(file: number, bytes: Buffer, position: number): void {
  if (readSync(file, bytes, 0, bytes.length, position) < bytes.length) throw new RangeError('A file is cut short.');
}
