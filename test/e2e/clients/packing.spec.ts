import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../..');
/**
 * Packed in their own folders, as `npm publish` does, because their settings must not exclude the build. The others are packed from the
 * root.
 */
const IN_THEIR_FOLDERS = ['openai-agents', 'claude-sessions', 'ai-sdk'];
const FROM_THE_ROOT = ['typescript', 'langgraph-js'];
/** Built or installed files in package folders. */
const MADE = ['node_modules', 'dist', 'LICENSE', 'test'];

describe('In a checkout that has the program, but nothing built or installed for the packages of clients/', () => {
  const checkout = mkdtempSync(path.join(os.tmpdir(), 'waystation-checkout-'));
  afterAll(() => rmSync(checkout, { recursive: true, force: true }));

  function copy(): void {
    const isSource = (file: string) => {
      const [top, name, part] = path.relative(ROOT, file).split(path.sep);
      return top !== 'clients' || name === 'python' || !MADE.includes(part ?? '');
    };
    const tops = readdirSync(ROOT).filter((name) => !['node_modules', 'build'].includes(name));
    for (const name of [...tops, '.npmrc'].filter((one) => existsSync(path.join(ROOT, one)))) {
      const options = { recursive: true, preserveTimestamps: true, filter: isSource };
      cpSync(path.join(ROOT, name), path.join(checkout, name), options);
    }
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(checkout, 'node_modules'), 'junction');
  }

  it('npm packs all of them, each with all that it names', () => {
    copy();
    const pack = (folder: string, ...args: string[]) => {
      const packed = spawnSync('npm', ['pack', ...args], { cwd: path.join(checkout, folder), encoding: 'utf8' });
      expect([packed.status, packed.status === 0 ? '' : packed.stderr]).toEqual([0, '']);
    };
    for (const name of IN_THEIR_FOLDERS) pack(`clients/${name}`, '--pack-destination', checkout);
    pack('.', ...FROM_THE_ROOT.map((name) => `./clients/${name}`));
    const files = spawnSync('sh', ['-c', 'for f in *.tgz; do tar -tzf "$f" | sed "s|^package|$f|"; done'], {
      ...{ cwd: checkout, encoding: 'utf8' },
    }).stdout.split('\n');
    expect(files).toEqual(
      expect.arrayContaining([
        'waystation-client-0.1.0.tgz/dist/esm/client/waystation-client.js',
        'waystation-openai-agents-0.1.0.tgz/dist/cjs/waystation-session.js',
        'waystation-openai-agents-0.1.0.tgz/examples/support.mjs',
        'waystation-claude-sessions-0.1.0.tgz/dist/esm/waystation-session-store.d.ts',
        'waystation-claude-sessions-0.1.0.tgz/examples/resume.mjs',
        'waystation-ai-sdk-0.1.0.tgz/dist/esm/answer-approvals.d.ts',
        'waystation-ai-sdk-0.1.0.tgz/examples/refunds.mjs',
        'waystation-langgraph-0.1.0.tgz/dist/cjs/index.js',
        'waystation-langgraph-0.1.0.tgz/example/refund-agent.mjs',
      ]),
    );
  }, 400_000);
});
