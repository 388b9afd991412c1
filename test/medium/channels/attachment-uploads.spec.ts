import { createHash, randomBytes } from 'node:crypto';
import { Database } from '../../../src/database/database.js';
import type { Answer, ApiClient } from '../../support/api-client.js';
import { useChatServer } from '../../support/chat-server.js';
import { MovableClock } from '../../support/movable-clock.js';
import { problemOf } from '../../support/problem.js';
import { threadPath } from '../../support/recording.js';
import { StalledSenders } from '../../support/stalled-senders.js';
import { waitFor } from '../../support/wait.js';

const MIB = 1024 * 1024;
const HOUR_MS = 3600_000;
const clock = new MovableClock();
const chat = useChatServer(clock, {}, { WAYSTATION_RETENTION_INTERVAL_SECONDS: '1' });
let person = 7000;

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

function pathOf(threadId: string, digest: string): string {
  return `/v1/runners/threads/${encodeURIComponent(threadId)}/attachments/${digest}`;
}

function put(threadId: string, bytes: Buffer, api: ApiClient = chat.server.api, digest = digestOf(bytes)) {
  const headers = { 'content-type': 'application/octet-stream' };
  return api.send('PUT', pathOf(threadId, digest), bytes, { headers });
}

/** A conversation of the agent, whose run has ended. */
async function conversation(): Promise<string> {
  person += 1;
  const count = chat.world.agent.runs.length;
  chat.world.telegram.write(person, 'hello');
  const run = await waitFor('the run', () => chat.world.agent.runs[count]);
  await waitFor('the answer', () => chat.world.sentTo(person).length === 1);
  return run.threadId;
}

async function tokenFor(agentId: string, more: object = {}): Promise<ApiClient> {
  const order = { scope: 'runner', name: 'test', agent_ids: [agentId], ...more };
  const answer = await chat.server.api.post('/v1/tokens', order);
  return chat.server.api.as(answer.json<{ token: string }>().token);
}

async function count(table: string): Promise<number> {
  const database = chat.server.app.get(Database, { strict: false });
  const [row] = await database.read<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`);
  return Number(row!.n);
}

/** The bytes as they are stored. */
async function stored(threadId: string): Promise<Buffer> {
  const database = chat.server.app.get(Database, { strict: false });
  const rows = await database.read<{ data: string }>(
    `SELECT data FROM attachment_piece p JOIN attachment a ON a.id = p.attachment_id
     WHERE a.thread_id = $1 ORDER BY piece_no`,
    [threadId],
  );
  return Buffer.concat(rows.map(({ data }) => Buffer.from(data, 'base64')));
}

const code = (answer: Answer, status: number) => problemOf(answer, status).code;

afterEach(() => {
  clock.aheadMs = 0;
});

describe('A file that an agent sends up', () => {
  it.each([0, 1, 256 * 1024, 256 * 1024 + 1, MIB + 7])('is stored whole, and once, with %i bytes', async (length) => {
    const [threadId, bytes] = [await conversation(), randomBytes(length)];
    expect((await put(threadId, bytes)).status).toBe(201);
    expect((await stored(threadId)).equals(bytes)).toBe(true);
    const pieces = await count('attachment_piece');
    expect((await put(threadId, bytes)).status).toBe(200);
    expect(await count('attachment_piece')).toBe(pieces);
  });

  it('that comes several times at once is stored once', async () => {
    const [threadId, bytes] = [await conversation(), randomBytes(300_000)];
    const answers = await Promise.all([1, 2, 3, 4].map(() => put(threadId, bytes)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
    expect((await stored(threadId)).equals(bytes)).toBe(true);
  });

  it('must have the digest of its address, also where it is there already', async () => {
    const [threadId, bytes] = [await conversation(), Buffer.from('chart')];
    const other = Buffer.from('other');
    expect(code(await put(threadId, other, chat.server.api, digestOf(bytes)), 422)).toBe('digest_mismatch');
    expect(await stored(threadId)).toHaveLength(0);
    await put(threadId, bytes);
    expect(code(await put(threadId, other, chat.server.api, digestOf(bytes)), 422)).toBe('digest_mismatch');
    for (const digest of ['x', digestOf(bytes).toUpperCase(), '..%2Fx', `${digestOf(bytes)}0`]) {
      expect(problemOf(await put(threadId, bytes, chat.server.api, digest), 400).errors?.[0]?.path).toBe(
        'attachment_id',
      );
    }
  });

  it('may have 50 MiB', async () => {
    const threadId = await conversation();
    const bytes = Buffer.alloc(50 * MIB + 1, 1);
    expect(code(await put(threadId, bytes), 413)).toBe('file_too_large');
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(new Uint8Array(bytes));
        controller.close();
      },
    });
    const { baseUrl, token } = chat.server.api;
    const init = { method: 'PUT', body, duplex: 'half', headers: { authorization: `Bearer ${token}` } } as const;
    const chunked = await fetch(`${baseUrl}${pathOf(threadId, digestOf(bytes))}`, init);
    expect([chunked.status, ((await chunked.json()) as { code: string }).code]).toEqual([413, 'file_too_large']);
    expect(await stored(threadId)).toHaveLength(0);
    expect((await put(threadId, bytes.subarray(1))).status).toBe(201);
  });

  it('is for a chat of the agent', async () => {
    const [threadId, bytes] = [await conversation(), Buffer.from('chart')];
    const other = await tokenFor('other');
    const elsewhere = await tokenFor('support', { run: { thread_id: 'another', trace_id: 'r', fence: 1 } });
    for (const api of [other, elsewhere]) expect(code(await put(threadId, bytes, api), 409)).toBe('thread_has_no_chat');
    for (const id of ['no-chat', '\0', 'x'.repeat(600)]) {
      expect(code(await put(id, bytes), 409)).toBe('thread_has_no_chat');
    }
    const own = await tokenFor('support', { run: { thread_id: threadId, trace_id: 'r', fence: 1 } });
    expect((await put(threadId, bytes, own)).status).toBe(201);
    expect((await put(threadId, bytes, await tokenFor('support'))).status).toBe(200);
    problemOf(await put(threadId, bytes, chat.server.api.as(null)), 401);
  });
});

describe('Files that wait', () => {
  it('go with their thread', async () => {
    const [threadId, other] = [await conversation(), await conversation()];
    for (const id of [threadId, other]) await put(id, Buffer.alloc(3 * MIB, 1));
    expect((await chat.server.api.delete(threadPath(threadId))).status).toBe(204);
    await waitFor('its pieces to go', async () => (await stored(threadId)).length === 0);
    expect((await stored(other)).length).toBe(3 * MIB);
    const threads = async () => (await count('attachment')) - (await countFound());
    await waitFor('nothing to be left of it', async () => (await threads()) === 0);
  });

  it('are kept for 24 hours, counted from the last time that they were sent', async () => {
    const [threadId, other] = [await conversation(), await conversation()];
    for (const id of [threadId, other]) await put(id, Buffer.from('chart'));
    clock.aheadMs = 23 * HOUR_MS;
    await put(other, Buffer.from('chart'));
    clock.aheadMs = 24 * HOUR_MS + 60_000;
    await waitFor('the old one to go', async () => (await stored(threadId)).length === 0);
    expect((await stored(other)).toString()).toBe('chart');
  });

  it('leave nothing of an upload that broke off', async () => {
    const threadId = await conversation();
    const before = await count('attachment');
    const senders = new StalledSenders(chat.server.api.baseUrl);
    const headers = { authorization: `Bearer ${chat.server.api.token}` };
    senders.open({ path: pathOf(threadId, '0'.repeat(64)), method: 'PUT', length: 1000, headers });
    await waitFor('its begin', async () => (await count('attachment')) > before);
    senders.close();
    await waitFor('its end', async () => (await count('attachment')) === before);
  });

  it('have 512 MiB in all', async () => {
    const threadId = await conversation();
    const senders = new StalledSenders(chat.server.api.baseUrl);
    const headers = { authorization: `Bearer ${chat.server.api.token}` };
    const before = await count('attachment');
    const path = (n: number) => pathOf(threadId, String(n).padStart(64, '0'));
    for (let n = 0; n < 10; n++) senders.open({ path: path(n), method: 'PUT', length: 50 * MIB, sent: 10, headers });
    await waitFor('the room to be kept', async () => (await count('attachment')) === before + 10);
    expect(code(await put(threadId, Buffer.alloc(13 * MIB)), 507)).toBe('attachments_full');
    senders.close();
    await waitFor('room again', async () => (await put(threadId, Buffer.alloc(13 * MIB))).status === 201);
  });
});

async function countFound(): Promise<number> {
  const database = chat.server.app.get(Database, { strict: false });
  const sql = 'SELECT COUNT(*) AS n FROM attachment WHERE thread_id IS NOT NULL';
  return Number((await database.read<{ n: number }>(sql))[0]!.n);
}
