import { randomBytes } from 'node:crypto';
import { request, type IncomingMessage } from 'node:http';
import { checkpoint, newThreadId } from '../../factories/events.js';
import type { ApiClient } from '../../support/api-client.js';
import { peakMegabytes, resetPeak } from '../../support/peak-memory.js';
import { ok, record, threadPath } from '../../support/recording.js';
import { ServerProcess } from '../../support/server-process.js';
import { changeStored, freshStorage, type TestStorage } from '../../support/storage.js';
import { contentsOf } from '../../support/table-contents.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const STEPS = Number(process.env.WAYSTATION_TEST_STEPS ?? 600);
const MESSAGE_BYTES = 100_000;
const BATCH = 100;

const server = useServer({ isAlone: true });
const threadId = newThreadId('large');
let target: { storage: TestStorage; process: ServerProcess };

beforeAll(async () => {
  const storage = await freshStorage('sqlite');
  target = { storage, process: await ServerProcess.start(storage, { isAlone: true }) };
  for (let step = 0; step < STEPS; step += BATCH) {
    // A history that differs at each step, so that all of it is stored.
    const steps = Array.from({ length: BATCH }, (_, n) =>
      checkpoint(threadId, step + n, {
        history: [{ role: 'user', content: randomBytes(MESSAGE_BYTES / 2).toString('hex') }],
        history_meta: [],
      }),
    );
    await record(server.api, ...steps);
  }
});
afterAll(async () => {
  await target?.process.stop();
  await target?.storage.dispose();
});

function call(api: ApiClient, method: string, path: string, headers: Record<string, string> = {}) {
  return request(new URL(api.baseUrl + path), { method, headers: api.headersFor({ headers }), agent: false });
}

async function openExport(): Promise<IncomingMessage> {
  const asking = call(server.api, 'GET', `/v1/threads/${encodeURIComponent(threadId)}/export`);
  return new Promise((resolve, reject) => asking.once('response', resolve).once('error', reject).end());
}

function openImport(): { sending: ReturnType<typeof request>; status: Promise<number> } {
  const headers = { 'content-type': 'application/x-ndjson' };
  const sending = call(target.process.api, 'POST', '/v1/threads/import', headers);
  const status = new Promise<number>((resolve) => {
    sending.once('response', (response) => resolve(response.resume().statusCode ?? 0));
    sending.once('error', () => resolve(0));
  });
  return { sending, status };
}

/** Sends the beginning of the export, and waits until part of it is stored. */
async function beginImport() {
  const source = await openExport();
  const { sending, status } = openImport();
  let bytes = 0;
  const isEnough = new Promise<void>((resolve) => {
    source.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes < (STEPS * MESSAGE_BYTES) / 3) sending.write(chunk);
      else resolve();
    });
  });
  await isEnough;
  source.destroy();
  await waitFor('rows to be stored', async () => (await messages()) > 0);
  return { sending, status };
}

async function messages(): Promise<number> {
  return (await contentsOf(target.storage)).message?.length ?? 0;
}

/** The note of a removal is deleted after the last row. */
async function isRemoved(): Promise<boolean> {
  const { message, deleted_thread: notes } = await contentsOf(target.storage);
  return message?.length === 0 && notes?.length === 0;
}

describe('A thread of many long histories', () => {
  it('leaves nothing where its import breaks off, and is not seen meanwhile', async () => {
    const { sending, status } = await beginImport();
    expect((await target.process.api.get(threadPath(threadId))).status).toBe(404);
    expect((await target.process.api.get('/threads')).json()).toEqual({ items: [], next_cursor: null });
    sending.destroy();
    expect(await status).toBe(0);
    await waitFor('nothing to be left', isRemoved);
    expect(await contentsOf(target.storage)).toMatchObject({ thread: [], checkpoint: [] });
  });

  it('leaves nothing where the server is killed during its import', async () => {
    await beginImport();
    await target.process.kill();
    expect(await messages()).toBeGreaterThan(0);
    // As if its time had passed: nobody can be importing it any more.
    await changeStored(target.storage, 'UPDATE deleted_thread SET deleted_at = 1');
    target.process = await ServerProcess.start(target.storage);
    const fresh = newThreadId('fresh');
    await record(target.process.api, checkpoint(fresh, 0, { history: [] }));
    await waitFor('nothing to be left', isRemoved);
    expect((await contentsOf(target.storage)).checkpoint).toHaveLength(1);
    ok(await target.process.api.get(threadPath(fresh)));
    expect((await target.process.api.delete(threadPath(fresh))).status).toBe(204);
  });

  it('is exported and imported in flat memory', async () => {
    const before = [server.process.pid, target.process.pid].map((pid) => [pid, resetPeak(pid)] as const);
    const { sending, status } = openImport();
    (await openExport()).pipe(sending);
    expect(await status).toBe(201);
    for (const [pid, megabytes] of before) expect(peakMegabytes(pid) - megabytes).toBeLessThan(150);
    expect(await messages()).toBe(STEPS);
  });
});
