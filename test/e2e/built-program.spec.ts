import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { crc32 } from 'node:zlib';
import { ServerProcess } from '../support/server-process.js';
import { freshStorage } from '../support/storage.js';
import { strictErrors } from '../support/strict-typescript.js';

/** As src/parts.ts makes a function of a part. */
const WRAPPING = ['(function (exports, require, module, __filename, __dirname) {', '\n})'] as const;
/** In modules it would be 2,600, and more than twice the time. */
const MOST_FILES = 80;

describe('A start of the server', () => {
  it('reads few files', async () => {
    const storage = await freshStorage();
    const folder = path.join(storage.home, 'coverage');
    const server = await ServerProcess.start(storage, { env: { NODE_V8_COVERAGE: folder } });
    await server.stop();
    const read = await filesIn(folder);
    await storage.dispose();
    expect(read.length).toBeGreaterThan(0);
    expect(read.length).toBeLessThan(MOST_FILES);
  });
});

describe('The engine', () => {
  it('finishes to compile what a request needs', async () => {
    const storage = await freshStorage();
    const traced = `import { setFlagsFromString } from 'node:v8'; setFlagsFromString('--trace-opt');`;
    const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(traced)}` };
    const server = await ServerProcess.start(storage, { env });
    await askForHealth(server.address!, 6000);
    await server.stop();
    await storage.dispose();
    const done = [...server.printed.matchAll(/completed optimizing \S+ <JSFunction (\S+)/g)].map(([, name]) => name);
    const givenUp = [...server.printed.matchAll(/aborted optimizing \S+ <JSFunction (\S+) /g)].map(([, name]) => name!);
    expect(done).toContain('parserOnHeadersComplete');
    // It may give a function up a few times while shapes still change. A class with a slow shape it had given up seven times by now.
    expect(
      givenUp.filter((name, at) => givenUp.slice(0, at).filter((earlier) => earlier === name).length >= 3),
    ).toEqual([]);
  });
});

describe('What the engine compiled for the program', () => {
  const project = path.resolve(import.meta.dirname, '../..');
  const written = 'Where AI agents stop,';
  const changed = 'Where AI agents halt,';
  let folder: string;
  const cache = () => path.join(folder, 'dist/code-cache.bin');
  const help = (...options: string[]) =>
    execFileSync(process.execPath, [...options, path.join(folder, 'dist/cli.js'), '--help'], {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '' },
    });

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'waystation-program-'));
    await symlink(path.join(project, 'node_modules'), path.join(folder, 'node_modules'));
    await cp(path.join(project, 'package.json'), path.join(folder, 'package.json'));
    // `command` comes and goes while another test packs the program.
    const unused = new Set(['command', 'console', 'prebuilds', 'swagger-ui']);
    const parts = (await readdir(path.join(project, 'dist'))).filter((name) => !unused.has(name));
    await mkdir(path.join(folder, 'dist'));
    const copyPart = (name: string) =>
      cp(path.join(project, 'dist', name), path.join(folder, 'dist', name), {
        recursive: true,
        preserveTimestamps: true,
      });
    await Promise.all(parts.map(copyPart));
    for (const name of await readdir(path.join(folder, 'dist'))) {
      const file = path.join(folder, 'dist', name);
      if (name.endsWith('.cjs')) await edit(file, written, changed);
    }
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('is not used for parts that were changed by hand, even right after it was kept', () => {
    expect(help()).toContain(changed);
  });

  it('is used: a part with the checksum of the one that was compiled is not compiled again', async () => {
    const bytes = await readFile(cache());
    await writeFile(cache(), await trustingChangedParts(bytes));
    expect(help()).toContain(written);
    await writeFile(cache(), bytes);
  });

  it('is not used where Node shows the lines of the sources', () => {
    expect(help('--enable-source-maps')).toContain(changed);
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ['of another Node', (bytes) => Buffer.from(bytes.toString('latin1').replace(process.version, 'v20.0.0'), 'latin1')],
    ['cut short', (bytes) => bytes.subarray(0, bytes.length / 100)],
    ['empty', () => Buffer.alloc(0)],
    ['something else', () => Buffer.alloc(100, 'x')],
    ['damaged', (bytes) => Buffer.concat([bytes.subarray(0, bytes.length / 2), Buffer.alloc(bytes.length / 2, 'x')])],
  ])('can be %s: the program runs all the same', async (_, spoil) => {
    const bytes = await readFile(cache());
    await writeFile(cache(), spoil(bytes));
    expect(help()).toContain(changed);
    await writeFile(cache(), bytes);
  });

  it('can be missing, and made again', async () => {
    await rm(cache());
    expect(help()).toContain(changed);
    execFileSync(process.execPath, [path.join(folder, 'dist/code-cache.js')], { stdio: 'ignore' });
    expect((await stat(cache())).size).toBeGreaterThan(1_000_000);
    expect(help()).toContain(changed);
  });

  /** Names the checksums of the changed parts instead of the compiled ones, at the same length of the index. */
  async function trustingChangedParts(bytes: Buffer): Promise<Buffer> {
    const length = bytes.readUInt32LE();
    const index = JSON.parse(bytes.toString('utf8', 4, 4 + length)) as { places: Record<string, number[]> };
    for (const [id, place] of Object.entries(index.places)) {
      const part = await readFile(path.join(folder, 'dist', id));
      place[3] = crc32(Buffer.concat([Buffer.from(WRAPPING[0]), part, Buffer.from(WRAPPING[1])]));
    }
    const text = Buffer.from(JSON.stringify(index));
    const head = Buffer.alloc(4);
    head.writeUInt32LE(text.length);
    return Buffer.concat([head, text, bytes.subarray(4 + length)]);
  }

  /** Keeps the times, as if nothing had happened. */
  async function edit(file: string, from: string, to: string): Promise<void> {
    const [text, { atime, mtime }] = [await readFile(file, 'utf8'), await stat(file)];
    if (!text.includes(from)) return;
    await writeFile(file, text.replaceAll(from, to));
    await utimes(file, atime, mtime);
  }
});

describe('The client', () => {
  it.each(['cjs', 'esm'] as const)('can be bundled again, as %s', async (format) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'waystation-bundle-'));
    const outfile = path.join(folder, format === 'cjs' ? 'program.cjs' : 'program.mjs');
    const contents = `import { WaystationClient } from 'waystation/client'; console.log(WaystationClient.name);`;
    const stdin = { contents, resolveDir: path.resolve(import.meta.dirname, '../..') };
    await build({ stdin, outfile, format, bundle: true, platform: 'node' });
    const printed = execFileSync(process.execPath, [outfile], { encoding: 'utf8' });
    await rm(folder, { recursive: true });
    expect(printed).toBe('WaystationClient\n');
  });
});

describe('Functions of a bundle', () => {
  it('have the names of the sources, also where the bundler need not give them', () => {
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', NAMED_TWICE], {
      cwd: path.resolve(import.meta.dirname, '../..'),
      encoding: 'utf8',
    });
    const [named, rest] = JSON.parse(printed) as [string[], { before: number; after: number; length: number }];
    const functions = ['declared', 'arrow', 'assigned', 'member', 'expression', 'named', 'inner', ''];
    const classes = ['Outer', 'Derived', 'Assigned', 'Self', 'Outer', 'Blocks'];
    // A function that another one makes may be called what the bundler called it.
    expect(named).toEqual([...functions, ...classes, 'arrow2']);
    // Kept where the engine would say `_Self` and `Outer3`, and for the function that has a name of its own.
    expect(rest).toEqual({ before: 17, after: 3, length: 0 });
  });
});

describe('The types of the client', () => {
  it('tell a strict program what each field of a checkpoint is', () => {
    expect(strictErrors({ consumer: TYPED_CONSUMER })).toEqual([]);
  });

  it('refuse what the server would refuse', () => {
    const wrong = `import { WaystationClient } from 'waystation/client';
      await new WaystationClient().checkpoint({ thread_id: 't', trace_id: 'r', history: [], step_index: 'two' });`;
    expect(strictErrors({ consumer: wrong })).toEqual([
      expect.stringContaining("'string' is not assignable to type 'number"),
    ]);
  });
});

const NAMED_TWICE = `
import { build } from 'esbuild';
import { withoutRedundantNames } from './scripts/redundant-names.mjs';
const contents = \`
  function declared() {}
  const arrow = () => 1;
  let assigned; assigned = async () => 2;
  const object = { member: () => 3 };
  const expression = function () {};
  const other = function named() {};
  class Outer {}
  class Derived extends Outer {}
  const Assigned = class {};
  class Self { static again = () => new Self(); }
  class Blocks { static seen = 1; static { this.seen += 1; } }
  const make = () => { function inner() {} return inner; };
  const another = () => { const Outer2 = 1; class Outer {} return Outer2 && Outer; };
  const renamed = () => { const arrow = () => 2; return arrow; };
  const all = [declared, arrow, assigned, object.member, expression, other, make(), (() => 4), Outer, Derived, Assigned, Self, another(), Blocks, renamed()];
  console.log(JSON.stringify(all.map(({ name }) => name)));
\`;
const { outputFiles } = await build({ stdin: { contents }, bundle: true, format: 'esm', keepNames: true, write: false });
const before = outputFiles[0].text;
const after = withoutRedundantNames(before);
const calls = (text) => text.split(' __name(').length - 1;
const log = console.log;
console.log = (names) => log('[' + names + ',' + JSON.stringify({ before: calls(before), after: calls(after), length: after.length - before.length }) + ']');
await import('data:text/javascript,' + encodeURIComponent(after));
`;

const TYPED_CONSUMER = `
import { WaystationClient, type Checkpoint, type RunIds, type SafeCheckpoint } from 'waystation/client';

const client = new WaystationClient({ apiUrl: 'http://127.0.0.1:8000', token: 't', agentId: 'support' });
const run: RunIds = await client.start({ thread_id: 'order-4711', model: 'm' });
const saved: Checkpoint | null = await client.latest('order-4711');
const safe: SafeCheckpoint | null = await client.latest('order-4711', { resume: 'safe', traceId: run.trace_id });
const doubts: string[] = (safe?.effects ?? []).filter(({ in_doubt }) => in_doubt).map(({ key }) => key);
const forModel: unknown[] = [...(safe?.history_for_model ?? []), doubts, safe?.repairs[0]?.kind, safe?.waiting.length];
if (saved !== null) {
  const step: number = saved.step_index + 1;
  const texts: string[] = [saved.trace_id, saved.thread_id, saved.agent_id, saved.status, saved.model, saved.updated_at];
  const parent: string | null = saved.parent_trace_id;
  const spent: number = saved.run_cost_usd + saved.tokens_used;
  const isWarned: boolean = saved.budget_warning;
  const calls: unknown[] = saved.pending_tool_calls;
  const own: unknown = saved.anything_else;
  await client.checkpoint({ ...run, step_index: step, history: [...saved.history, texts, forModel, parent, isWarned, calls, own], own: 1 });
  await client.complete({ ...run, run_cost_usd: spent });
}
`;

/** At least so many requests on one connection, some of them at once. */
async function askForHealth(address: string, count: number): Promise<void> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  const atOnce = 50;
  const requests = 'GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(atOnce);
  let asked = 0;
  let answered = 0;
  let rest = '';
  do {
    socket.write(requests);
    asked += atOnce;
    while (answered < asked) {
      const [text] = (await once(socket, 'data')) as [string];
      const parts = (rest + text).split('HTTP/1.1 200');
      answered += parts.length - 1;
      rest = parts.at(-1)!;
    }
  } while (asked < count);
  socket.destroy();
}

/** What Node's own coverage says was loaded. */
async function filesIn(folder: string): Promise<string[]> {
  const [name] = await readdir(folder);
  const { result } = JSON.parse(await readFile(path.join(folder, name!), 'utf8')) as { result: { url: string }[] };
  return result.map(({ url }) => url).filter((url) => url.startsWith('file:'));
}
