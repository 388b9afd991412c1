import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { ChannelsConfig } from '../../../src/config/channels.config.js';
import { Database } from '../../../src/database/database.js';
import type { Answer, ApiClient } from '../../support/api-client.js';
import { useChatServer } from '../../support/chat-server.js';
import { MovableClock } from '../../support/movable-clock.js';
import { problemOf } from '../../support/problem.js';
import { threadPath } from '../../support/recording.js';
import { StalledSenders } from '../../support/stalled-senders.js';
import { waitFor } from '../../support/wait.js';

const KIB = 1024;
const MIB = 1024 * KIB;
const MAX_FILE_BYTES = 2 * MIB;
const MINUTE_MS = 60_000;
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

/** A conversation with the agent whose run has ended. */
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

/** The config, for replacing the limits by small ones. */
const limits = () => chat.server.app.get(ChannelsConfig, { strict: false });

async function numberOf(sql: string): Promise<number> {
  const database = chat.server.app.get(Database, { strict: false });
  return Number((await database.read<{ n: number | null }>(sql))[0]!.n);
}

const pieces = () => numberOf('SELECT COUNT(*) AS n FROM attachment_piece');
/** Discarded rows that still have to be removed. */
const discarded = () => numberOf('SELECT COUNT(*) AS n FROM attachment WHERE created_at = 0');
/** Uploads in progress. Discarded rows disappear at their own pace and must not be counted. */
const underway = () => numberOf('SELECT COUNT(*) AS n FROM attachment WHERE thread_id IS NULL AND created_at > 0');

/** Sets the limit to what is stored plus this many bytes. */
async function leaveRoom(bytes: number): Promise<void> {
  await waitFor('what was discarded to go', async () => (await discarded()) === 0);
  limits().sentFilesMaxBytes = (await numberOf('SELECT SUM(size_bytes) AS n FROM attachment')) + bytes;
}

/** An upload that stops after its first bytes. */
function begun(threadId: string, bytes: Buffer): { finish(): Promise<{ status: number; code: string | undefined }> } {
  const { baseUrl, token } = chat.server.api;
  const headers = { authorization: `Bearer ${token}`, 'content-length': String(bytes.length) };
  const call = request(`${baseUrl}${pathOf(threadId, digestOf(bytes))}`, { method: 'PUT', headers });
  call.write(bytes.subarray(0, 10));
  return {
    async finish() {
      call.end(bytes.subarray(10));
      const [response] = (await once(call, 'response')) as [IncomingMessage];
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const { code } = JSON.parse(Buffer.concat(chunks).toString()) as { code?: string };
      return { status: response.statusCode!, code };
    },
  };
}

/** The stored bytes. */
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

beforeEach(() => {
  limits().sentFileMaxBytes = MAX_FILE_BYTES;
});
afterEach(() => {
  clock.aheadMs = 0;
  limits().sentFilesMaxBytes = 512 * MIB;
});

describe('A file that an agent sends up', () => {
  it.each([0, 1, 256 * 1024, 256 * 1024 + 1, MIB + 7])('is stored whole, and once, with %i bytes', async (length) => {
    const [threadId, bytes] = [await conversation(), randomBytes(length)];
    expect((await put(threadId, bytes)).status).toBe(201);
    expect((await stored(threadId)).equals(bytes)).toBe(true);
    expect((await put(threadId, bytes)).status).toBe(200);
    expect((await stored(threadId)).equals(bytes)).toBe(true);
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

  it('has a greatest size', async () => {
    const threadId = await conversation();
    const bytes = Buffer.alloc(MAX_FILE_BYTES + 1, 1);
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
    for (const id of [threadId, other]) await put(id, Buffer.alloc(600 * KIB, 1));
    await waitFor('what was discarded to go', async () => (await discarded()) === 0);
    const before = await pieces();
    expect((await chat.server.api.delete(threadPath(threadId))).status).toBe(204);
    await waitFor('its pieces to go', async () => (await pieces()) === before - 3);
    expect((await stored(other)).length).toBe(600 * KIB);
    await waitFor('nothing to be left of it', async () => (await discarded()) === 0);
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
    const senders = new StalledSenders(chat.server.api.baseUrl);
    const headers = { authorization: `Bearer ${chat.server.api.token}` };
    senders.open({ path: pathOf(threadId, '0'.repeat(64)), method: 'PUT', length: 1000, headers });
    await waitFor('its begin', async () => (await underway()) === 1);
    senders.close();
    await waitFor('its end', async () => (await underway()) + (await discarded()) === 0);
  });

  it('are not said to be stored where they were taken for given up', async () => {
    const [threadId, bytes] = [await conversation(), randomBytes(300 * KIB)];
    const upload = begun(threadId, bytes);
    await waitFor('its begin', async () => (await underway()) === 1);
    clock.aheadMs = 16 * MINUTE_MS;
    await waitFor('it to be taken for given up', async () => (await underway()) === 0);
    expect(await upload.finish()).toEqual({ status: 503, code: 'upload_gone' });
    expect((await put(threadId, bytes)).status).toBe(201);
    expect((await stored(threadId)).equals(bytes)).toBe(true);
  });

  it('have a greatest size in all, with those that arrive', async () => {
    const threadId = await conversation();
    await leaveRoom(2 * MIB);
    const senders = new StalledSenders(chat.server.api.baseUrl);
    const headers = { authorization: `Bearer ${chat.server.api.token}` };
    const path = (n: number) => pathOf(threadId, String(n).padStart(64, '0'));
    for (let n = 0; n < 3; n++) senders.open({ path: path(n), method: 'PUT', length: 600 * KIB, sent: 10, headers });
    await waitFor('the room to be kept', async () => (await underway()) === 3);
    const bytes = Buffer.alloc(400 * KIB);
    expect(code(await put(threadId, bytes), 507)).toBe('attachments_full');
    senders.close();
    await waitFor('room again', async () => (await put(threadId, bytes)).status === 201);
  });

  it('keep to that where they come at the same time', async () => {
    const threadId = await conversation();
    await leaveRoom(300 * KIB);
    const files = Array.from({ length: 12 }, () => randomBytes(100 * KIB));
    const answers = await Promise.all(files.map((bytes) => put(threadId, bytes)));
    const codes = answers.map((answer) => (answer.status === 201 ? 'stored' : code(answer, 507))).sort();
    expect(codes).toEqual([
      ...Array.from({ length: 9 }, () => 'attachments_full'),
      ...Array.from({ length: 3 }, () => 'stored'),
    ]);
  });
});
