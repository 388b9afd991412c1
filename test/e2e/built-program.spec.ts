import { build } from 'esbuild';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { strictErrors } from '../support/strict-typescript.js';

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
