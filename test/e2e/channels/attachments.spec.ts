import { setTimeout as pause } from 'node:timers/promises';
import { FakeAgent } from '../../fakes/fake-agent.js';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import type { ApiClient } from '../../support/api-client.js';
import { createReadyChannel, setUpWebhook, telegramOrder } from '../../support/channels.js';
import { peakMegabytes, resetPeak } from '../../support/peak-memory.js';
import { problemOf } from '../../support/problem.js';
import { ok } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

interface Attachment {
  name: string | null;
  href: string | null;
  unavailable: string | null;
}

const MIB = 1024 * 1024;
const telegram = await TelegramFake.start();
const agent = await FakeAgent.start();
const server = useServer({
  isAlone: true,
  env: { WAYSTATION_TELEGRAM_API_URL: telegram.url, WAYSTATION_LOG_LEVEL: 'debug' },
});
let person = 6000;

beforeAll(async () => {
  const channel = await createReadyChannel(server.api, telegramOrder({ config: { bot_token: telegram.token } }));
  ok(await setUpWebhook(server.api, channel.id, server.api.baseUrl));
  agent.api = server.api;
  await agent.beat();
});
beforeEach(() => {
  person += 1;
});
afterAll(() => Promise.all([telegram.close(), agent.close()]));

/** The context that the agent gets for a document somebody sends. */
async function received(document: object): Promise<Attachment & { threadId: string; message: string }> {
  const count = agent.runs.length;
  telegram.write(person, '', { text: undefined, document });
  const run = await waitFor('the run', () => agent.runs[count]);
  const [attachment] = run.context.attachments as Attachment[];
  return { ...attachment!, threadId: run.threadId, message: run.message };
}

function withFile(id: string, bytes: Buffer): { file_id: string; file_size: number } {
  telegram.files.set(id, bytes);
  return { file_id: id, file_size: bytes.length };
}

/** The file as the server passes it on. */
async function fetched(href: string | null, headers: Record<string, string> = {}, token = server.api.token) {
  const response = await fetch(`${server.api.baseUrl}${href}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  });
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

async function tokenFor(agentId: string, more: object = {}): Promise<{ id: string; token: string; api: ApiClient }> {
  const order = { scope: 'runner', name: 'test', agent_ids: [agentId], ...more };
  const answer = await server.api.post('/v1/tokens', order);
  expect(answer.status).toBe(201);
  const { id, token } = answer.json<{ id: string; token: string }>();
  return { id, token, api: server.api.as(token) };
}

describe('A file that a person sends', () => {
  it('reaches the agent whole, as an attachment that no browser shows', async () => {
    const bytes = Buffer.from('%PDF-1.4 \u0000 bytes');
    const file = { ...withFile('pdf', bytes), file_name: '../in "voice".pdf', mime_type: 'application/pdf' };
    const { href, unavailable, name } = await received(file);
    expect({ unavailable, name }).toEqual({ unavailable: null, name: 'in "voice".pdf' });
    const { response, bytes: got } = await fetched(href, { range: 'bytes=0-3' });
    expect(response.status).toBe(200);
    expect(got).toEqual(bytes);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'content-length': String(bytes.length),
      'content-disposition': `attachment; filename="in _voice_.pdf"; filename*=UTF-8''in%20%22voice%22.pdf`,
      'x-content-type-options': 'nosniff',
      'cache-control': expect.stringContaining('no-store'),
    });
  });

  it.each([
    ['text/html', 'application/octet-stream'],
    ['image/svg+xml', 'application/octet-stream'],
    ['application/javascript', 'application/octet-stream'],
    ['image/png\r\nX: y', 'application/octet-stream'],
    ['text/plain; charset=utf-8', 'text/plain'],
    ['audio/ogg; codecs=opus', 'audio/ogg'],
    ['image/png', 'image/png'],
  ])('of type %j is said to be %s', async (mime_type, type) => {
    const { href } = await received({ ...withFile('typed', Buffer.from('<svg/>')), mime_type, file_name: 'a\u202Eb' });
    const { response } = await fetched(href);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename="ab"; filename*=UTF-8''ab`);
  });

  it('is there for the agent of the thread only', async () => {
    const { href } = await received({ ...withFile('own', Buffer.from('mine')), file_name: 'a.txt' });
    const [{ api: own }, { api: other }] = [await tokenFor('support'), await tokenFor('other')];
    expect((await own.get(href!)).status).toBe(200);
    expect(problemOf(await other.get(href!), 404).code).toBe('attachment_not_found');
    expect(problemOf(await own.get(href!.replace(`%3A${person}%3A`, '%3A1%3A')), 404).code).toBe(
      'attachment_not_found',
    );
    for (const id of [
      'x',
      '0',
      `${'0'.repeat(36)}.0`,
      'own',
      '..%2Fx',
      `${href!.split('/').at(-1)!.split('.')[0]}.9`,
    ]) {
      const path = `${href!.slice(0, href!.lastIndexOf('/'))}/${id}`;
      expect(problemOf(await own.get(path), 404).code).toBe('attachment_not_found');
    }
    problemOf(await server.api.get(href!, { token: null }), 401);
  });

  it('is there for the token of a run in the thread, and for none of another thread', async () => {
    const { href, threadId } = await received({ ...withFile('run', Buffer.from('mine')), file_name: 'a.txt' });
    const of = (thread_id: string) => ({ run: { thread_id, trace_id: 'r', fence: 1 } });
    const [own, other] = [await tokenFor('support', of(threadId)), await tokenFor('support', of('another'))];
    expect((await own.api.get(href!)).status).toBe(200);
    expect(problemOf(await other.api.get(href!), 404).code).toBe('attachment_not_found');
  });

  it('that is too large starts the run, and the person reads why the agent cannot open it', async () => {
    const file = { file_id: 'big', file_size: 30 * MIB, file_name: 'report.pdf' };
    const { href, unavailable, message } = await received(file);
    expect({ href, unavailable, message }).toEqual({
      ...{ href: null, unavailable: 'larger than 20 MB', message: '[document: report.pdf]' },
    });
    const sentence = 'report.pdf is larger than 20 MB, so the agent cannot open it.';
    await waitFor('the sentence', () => telegram.messages.some(({ text }) => text === sentence));
  });

  it('that the platform has no more is gone, and is not asked for again', async () => {
    const { href } = await received({ file_id: 'lost', file_size: 5 });
    expect(problemOf(await server.api.get(href!), 410).code).toBe('attachment_gone');
    const asked = () => telegram.requests.filter(({ body }) => body.file_id === 'lost').length;
    expect(problemOf(await server.api.get(href!), 410).code).toBe('attachment_gone');
    expect(asked()).toBe(1);
  });

  it('that the platform refuses is a 502 with its words, or a 503 that says when to try again', async () => {
    const { href } = await received({ ...withFile('refused', Buffer.from('x')) });
    telegram.failNext('getFile', TelegramFake.error(403, 'Forbidden: bot was blocked by the user'));
    expect(problemOf(await server.api.get(href!), 502)).toMatchObject({ code: 'platform_refused' });
    telegram.failNext('getFile', TelegramFake.error(429, 'Too Many Requests: retry after 7', { retry_after: 7 }));
    const answer = await server.api.get(href!);
    problemOf(answer, 503);
    expect(answer.headers['retry-after']).toBe('7');
  });

  it('that is longer or shorter than was said is cut off', async () => {
    const { href } = await received({ ...withFile('false', Buffer.alloc(100_000, 1)), file_size: undefined });
    for (const said of [50_000, 200_000]) {
      telegram.saidSizes.set('false', said);
      await expect(fetched(href)).rejects.toThrow();
    }
  });
});

describe('A file on its way', () => {
  it.each([
    ['breaks in the middle', 'half'],
    ['does not begin', 'break'],
  ] as const)('never counts as whole where it %s', async (_, mishap) => {
    const { href } = await received({ ...withFile('broken', Buffer.alloc(100_000, 1)), file_name: 'a.bin' });
    telegram.failNext('broken', mishap);
    const answer = await fetched(href).catch(() => null);
    expect(answer?.response.status ?? 502).toBe(502);
    expect((await fetched(href)).bytes).toHaveLength(100_000);
  });

  it('ends when the token of the agent is revoked', async () => {
    const { href } = await received({ ...withFile('revoked', Buffer.alloc(20 * MIB, 1)), file_name: 'a.bin' });
    const { id, token } = await tokenFor('support');
    const { body } = await fetch(`${server.api.baseUrl}${href}`, { headers: { authorization: `Bearer ${token}` } });
    const reader = body!.getReader();
    await reader.read();
    expect((await server.api.delete(`/v1/tokens/${id}`)).status).toBe(204);
    const ending = async () => {
      for (let length = 0; ; await pause(100)) {
        const { done, value } = await reader.read();
        length += value?.length ?? 0;
        if (done) return length;
      }
    };
    await expect(ending()).rejects.toThrow();
  });
});

describe('Many large files at once', () => {
  it('take little memory, and a seventeenth has to wait', async () => {
    const { href } = await received({ ...withFile('twenty', Buffer.alloc(20 * MIB, 7)), file_name: 'a.bin' });
    await fetched(href);
    const { pid } = server.process;
    const before = resetPeak(pid);
    const readers = await Promise.all(
      Array.from({ length: 16 }, () =>
        fetch(`${server.api.baseUrl}${href}`, { headers: { authorization: `Bearer ${server.api.token}` } }),
      ),
    );
    const answer = await server.api.get(href!);
    expect(problemOf(answer, 503).code).toBe('too_many_transfers');
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    for (const { body } of readers) {
      let length = 0;
      for await (const chunk of body!) length += (chunk as Uint8Array).length;
      expect(length).toBe(20 * MIB);
    }
    expect(peakMegabytes(pid) - before).toBeLessThan(32);
  });
});

describe('The token of the bot', () => {
  it('is in no line of the log', () => {
    expect(server.process.printed).not.toContain(telegram.token.split(':')[1]);
  });
});
