import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { newThreadId } from '../../factories/events.js';
import { describeWithClient, untested } from '../../support/clients/installed-client.js';
import { packClient } from '../../support/clients/packed-client.js';
import { useServer } from '../../support/test-server.js';

const STRICT = {
  ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, skipLibCheck: false },
  ...{
    target: 'es2023',
    lib: ['es2023'],
    module: 'nodenext',
    moduleResolution: 'nodenext',
    types: ['node'],
  },
};
const CONSUMERS = { 'an ES module': 'module', CommonJS: 'commonjs' };

describeWithClient('typescript/test', 'The packed file of @waystation/client', (tools) => {
  const server = useServer();
  const home = mkdtempSync(path.join(os.tmpdir(), 'waystation-consumers-'));
  const consumer = (type: string) => path.join(home, type);

  beforeAll(() => {
    const packed = packClient('typescript', home);
    const [first, ...others] = Object.values(CONSUMERS).map(consumer);
    mkdirSync(path.join(first!, 'node_modules'), { recursive: true });
    must('npm', ['install', packed, '--offline', '--no-audit', '--no-fund', '--no-save'], first!);
    for (const other of others) cpSync(first!, other, { recursive: true });
    for (const type of Object.values(CONSUMERS)) {
      writeFileSync(path.join(consumer(type), 'package.json'), JSON.stringify({ type }));
      copyFileSync(path.join(tools.folder, 'consumer.ts'), path.join(consumer(type), 'main.ts'));
    }
    mkdirSync(path.join(home, 'node_modules'));
    symlinkSync(path.join(tools.folder, 'node_modules', '@types'), path.join(home, 'node_modules', '@types'));
    const files = Object.values(CONSUMERS).map((type) => `${type}/main.ts`);
    writeFileSync(path.join(home, 'tsconfig.json'), JSON.stringify({ compilerOptions: STRICT, files }));
  });
  afterAll(() => rmSync(home, { recursive: true, force: true }));

  it('holds what a user needs, and nothing else', () => {
    const folder = path.join(consumer('module'), 'node_modules', '@waystation', 'client');
    expect(readdirSync(folder).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  });

  // One run for both: the package.json beside each selects its module system. Most of the time goes into Node's types.
  it.each(['typescript-5', 'typescript'])('passes the strict rules of %s in both module systems', (compiler) => {
    const tsc = path.join(tools.folder, 'node_modules', compiler, 'bin', 'tsc');
    const { stdout, status } = spawnSync(process.execPath, [tsc, '-p', '.'], { cwd: home, encoding: 'utf8' });
    expect([stdout, status]).toEqual(['', 0]);
    const written = Object.values(CONSUMERS).map((type) => readFileSync(path.join(consumer(type), 'main.js'), 'utf8'));
    expect(written.map((text) => /\brequire\(/.test(text))).toEqual([false, true]);
  });

  describe.each(Object.entries(CONSUMERS))('in %s', (_, type) => {
    it.each([process.execPath, newestNode(tools.folder)])('runs on %s', (node) => {
      if (!existsSync(node)) return untested('@waystation/client on the newest Node', `there is no ${node}`);
      const threadId = newThreadId();
      const said = must(node, ['main.js', threadId], consumer(type), {
        WAYSTATION_API_URL: server.api.baseUrl,
        WAYSTATION_TOKEN: server.api.token,
      });
      expect(JSON.parse(said)).toEqual({
        run: { listed: 1, amount: '9007199254740993', latest: 0 },
        stream: expect.arrayContaining(['checkpoint']) as unknown,
        approval: ['pending', 'approved', 'approved'],
        made: { transfer: 'T-1' },
        claimed: ['refund completed'],
        errors: [[404, 'thread_not_found', []], [400, 'invalid_request', ['limit']], 'no answer'],
        copied: `${threadId}-copy`,
        again: ['cancelled', 'Not today', true],
        channel: ['slack', 'telegram', 'whatsapp', '0'],
        stats: expect.arrayContaining(['support']) as unknown,
        health: 'ok',
      });
    });
  });
});

function newestNode(folder: string): string {
  return path.join(folder, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
}

function must(program: string, args: readonly string[], cwd: string, env: Record<string, string> = {}): string {
  const own = { cwd, encoding: 'utf8' as const, env: { ...process.env, ...env }, timeout: 120_000 };
  const { status, stdout, stderr } = spawnSync(program, args, own);
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}${stdout}`);
  return stdout;
}
