// How the built program loads its parts (docs/adr/0019): they are CommonJS, because for that Node lets a program keep what the engine has
// compiled. To compile them again at each start took a third of its time. This comes before all of the program, and imports nothing of it.
import { isAscii } from 'node:buffer';
import { closeSync, fstatSync, openSync, readSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { crc32 } from 'node:zlib';

interface Part {
  exports: unknown;
}

interface Index {
  /** The Node that compiled. */
  engine: string;
  /** Of each part: where that which was compiled begins, and its length, in bytes after the index; its checksum, and that of the part. */
  places: Record<string, [begin: number, length: number, checksum: number, ofPart: number]>;
}

/** Declared here: the library of TypeScript that knows this option also has methods that Node 20 lacks. */
const Resizable = ArrayBuffer as new (length: number, options: { maxByteLength: number }) => ArrayBuffer;

const FOLDER = import.meta.dirname;
const FOLDER_URL = pathToFileURL(`${FOLDER}${path.sep}`).href;
const CACHE = path.join(FOLDER, 'code-cache.bin');
const HEAD_BYTES = 4;
/** In one line, so that lines in stacks are those of the file. */
const BEFORE = Buffer.from('(function (exports, require, module, __filename, __dirname) {');
const AFTER = Buffer.from('\n})');

/**
 * What the engine compiled earlier. It is only valid for the very same Node and the very same parts. The engine itself checks little of that,
 * and crashes on what does not fit.
 */
class CodeCache {
  private constructor(
    private readonly file: number,
    private readonly begin: number,
    private readonly places: Index['places'],
  ) {}

  /** Null if there is none for this Node. */
  static open(): CodeCache | null {
    try {
      const file = openSync(CACHE, 'r'); // open as long as the process: parts are loaded at any time
      const length = bytesOf(file, 0, HEAD_BYTES).readUInt32LE();
      if (length > fstatSync(file).size) return null;
      const { engine, places } = JSON.parse(bytesOf(file, HEAD_BYTES, length).toString()) as Index;
      return engine === thisEngine() ? new CodeCache(file, HEAD_BYTES + length, places) : null;
    } catch {
      return null;
    }
  }

  /** Undefined if there is nothing for this part as it is now. @param checksum of the part */
  of(id: string, checksum: number): Buffer | undefined {
    const [begin, length, ofCode, ofPart] = this.places[id] ?? [];
    if (begin === undefined || length === undefined || checksum !== ofPart) return undefined;
    try {
      const code = bytesOf(this.file, this.begin + begin, length);
      return crc32(code) === ofCode ? code : undefined;
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
const scripts = new Map<string, { script: Script; checksum: number }>();
/** Where the engine is a library of its own, as in some distributions, its updates do not show in the program file. */
const isKept = !('node_shared' in process.config.variables && process.config.variables.node_shared === true);
let cache: CodeCache | null | undefined;

/** What the part exports; the first who asks for it runs it. @param id `./` and its file name */
export function part(id: string): unknown {
  if (isMapped) return nodeRequire(id);
  const known = parts.get(id);
  if (known !== undefined) return known.exports;
  const loaded: Part = { exports: {} };
  parts.set(id, loaded); // before it runs, since parts may need each other
  try {
    run(id, loaded);
  } catch (error) {
    parts.delete(id); // the next who asks for it learns the cause, too
    throw error;
  }
  return loaded.exports;
}

/** Keeps what the engine has compiled of the parts by now, for all processes to come. Where nothing is kept they only start more slowly. */
export function keepCompiled(): void {
  if (!isKept) return;
  const compiled = [...scripts].map(([id, { script, checksum }]) => ({
    id,
    checksum,
    data: script.createCachedData(),
  }));
  const index: Index = { engine: thisEngine(), places: {} };
  let length = 0;
  for (const { id, checksum, data } of compiled) {
    index.places[id] = [length, data.length, crc32(data), checksum];
    length += data.length;
  }
  const text = Buffer.from(JSON.stringify(index));
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(text.length);
  const written = `${CACHE}.${process.pid}`;
  try {
    writeFileSync(written, Buffer.concat([head, text, ...compiled.map(({ data }) => data)]));
    renameSync(written, CACHE); // at once: other processes may be reading the one before
  } finally {
    rmSync(written, { force: true });
  }
}

function run(id: string, loaded: Part): void {
  const file = path.join(FOLDER, id);
  const { text, checksum } = wrappedSource(file);
  if (cache === undefined) cache = isKept ? CodeCache.open() : null;
  const cachedData = cache?.of(id, checksum);
  const filename = FOLDER_URL + path.basename(id);
  const script = new Script(text, cachedData === undefined ? { filename } : { filename, cachedData });
  if (script.cachedDataRejected === true) cache = null; // other flags of the engine: it will take no part
  scripts.set(id, { script, checksum });
  const body = script.runInThisContext() as (...args: unknown[]) => void;
  body.call(loaded.exports, loaded.exports, requireOfParts, loaded, file, FOLDER);
}

/** As a function. It is put together in bytes, since text that is put together would be copied once more. */
function wrappedSource(file: string): { text: string; checksum: number } {
  const part = openSync(file, 'r');
  try {
    const { size } = fstatSync(part);
    const source = pagesOf(BEFORE.length + size + AFTER.length);
    BEFORE.copy(source);
    readFully(part, source.subarray(BEFORE.length, BEFORE.length + size), 0);
    AFTER.copy(source, BEFORE.length + size);
    // One byte a character, and nothing to decode.
    return { text: source.toString(isAscii(source) ? 'latin1' : 'utf8'), checksum: crc32(source) };
  } finally {
    closeSync(part);
  }
}

/** Another build of the same version may give the engine's own objects other places, and the engine does not notice. */
function thisEngine(): string {
  const { version, arch, platform, execPath } = process;
  const { size, mtimeMs } = statSync(execPath);
  return [version, process.versions.v8, platform, arch, size, Math.floor(mtimeMs / 1000)].join(' ');
}

/**
 * Bytes on pages that the engine takes from the system itself, as it does for an array buffer that may be resized. Once the C library has
 * freed a large block, it keeps more free memory for itself: 10 MiB after a start.
 */
function pagesOf(length: number): Buffer {
  return Buffer.from(new Resizable(length, { maxByteLength: length }));
}

/** @throws RangeError when the file is shorter */
function bytesOf(file: number, position: number, length: number): Buffer {
  const bytes = pagesOf(length);
  readFully(file, bytes, position);
  return bytes;
}

/** @throws RangeError when the file is shorter */
function readFully(file: number, bytes: Buffer, position: number): void {
  if (readSync(file, bytes, 0, bytes.length, position) < bytes.length) throw new RangeError('A file is cut short.');
}
