import { randomFillSync } from 'node:crypto';
import zlib from 'node:zlib';
import { Body, Controller, HttpCode, Injectable, Post, Req } from '@nestjs/common';
import type { Answer } from '../../test/support/api-client.js';
import { BareApp } from '../../test/support/bare-app.js';
import { problemOf } from '../../test/support/problem.js';
import { StalledSenders } from '../../test/support/stalled-senders.js';
import { waitFor } from '../../test/support/wait.js';
import { DomainError } from '../common/domain-error.js';
import { Public } from './access.decorators.js';
import type { ApiRequest } from './api-request.js';
import { BodyGate, Gate, RawBody, RawBytes } from './body.decorators.js';
import { whileHeld } from './body/body-reader.js';

const MEBIBYTE = 1024 * 1024;
/** Large bodies have twice as much room. */
const LIMIT_BYTES = 2 * MEBIBYTE;

const working: { finish: () => void }[] = [];

@Injectable()
class ClosedGate extends BodyGate {
  override check({ headers }: ApiRequest): Promise<void> {
    if (headers['x-ticket'] !== undefined) return Promise.resolve();
    return Promise.reject(new DomainError('not_found', 'no_ticket', 'Nobody waits for this.'));
  }
}

@Controller()
class LengthController {
  @Post('known')
  @HttpCode(200)
  @RawBody({ limitBytes: ({ maxBodyBytes }) => maxBodyBytes, contentType: 'any' })
  known(@RawBytes() bytes: Buffer): object {
    return { length: bytes.length };
  }

  /** Works on the body until the test lets it finish. */
  @Post('work')
  @HttpCode(200)
  @RawBody({ limitBytes: ({ maxBodyBytes }) => maxBodyBytes, contentType: 'any' })
  work(@Req() request: ApiRequest, @RawBytes() bytes: Buffer): Promise<object> {
    return whileHeld(request, async () => {
      await new Promise<void>((resolve) => working.push({ finish: resolve }));
      return { length: bytes.length };
    });
  }

  @Post('public')
  @Public()
  @HttpCode(200)
  @RawBody({ limitBytes: 4 * MEBIBYTE, contentType: 'any' })
  public(@RawBytes() bytes: Buffer): object {
    return { length: bytes.length };
  }

  @Post('small')
  @HttpCode(200)
  json(@Body() body: unknown): object {
    return { body };
  }

  @Post('gated')
  @Public()
  @HttpCode(200)
  @RawBody({ limitBytes: MEBIBYTE, contentType: 'any' })
  @Gate(ClosedGate)
  gated(@RawBytes() bytes: Buffer): object {
    return { length: bytes.length };
  }
}

let server: BareApp;
let stalled: StalledSenders;

beforeEach(async () => {
  const env = { WAYSTATION_MAX_BODY_BYTES: String(LIMIT_BYTES), WAYSTATION_QUEUE_MAX_BYTES: '2000' };
  server = await BareApp.start([LengthController], env, [ClosedGate]);
  stalled = new StalledSenders(server.api.baseUrl);
});
afterEach(async () => {
  stalled.close();
  for (const { finish } of working.splice(0)) finish();
  await server.stop();
});

interface Filling {
  /** There is no room when a body of this size is refused. */
  probeBytes: number;
  token: string | null;
}

function stall(path: string, length: number, token: string | null): void {
  stalled.open({ path, length, headers: token === null ? {} : { authorization: `Bearer ${token}` } });
}

function post(path: string, bytes: Buffer, headers: Record<string, string> = {}): Promise<Answer> {
  const token = path === '/public' ? null : undefined;
  return server.api.post(path, bytes, { token, headers });
}

/** Fills the room with stalled senders. Adds one while any room is left: a probe may have taken a sender's place. */
async function fill(path: string, length: number, { probeBytes, token }: Filling): Promise<void> {
  for (let i = 0; i < 10; i++) stall(path, length, token);
  await waitFor(`${path} to have no room`, async () => {
    const { status } = await post(path, Buffer.alloc(probeBytes));
    if (status !== 503) stall(path, length, token);
    return status === 503;
  });
}

const gzip = { 'content-encoding': 'gzip' };
const BOMB_BYTES = LIMIT_BYTES - 100_000;
const bomb = zlib.gzipSync(Buffer.alloc(BOMB_BYTES));

describe('Strangers who send without an end', () => {
  it('keep each other out, and nobody who is known', async () => {
    await fill('/public', 4 * MEBIBYTE, { probeBytes: 3 * MEBIBYTE, token: null });
    expect((await post('/known', Buffer.alloc(LIMIT_BYTES))).json()).toEqual({ length: LIMIT_BYTES });
    expect((await server.api.post('/small', { a: 1 })).json()).toEqual({ body: { a: 1 } });
  });

  it('leave room for what is small', async () => {
    await fill('/public', 4 * MEBIBYTE, { probeBytes: 3 * MEBIBYTE, token: null });
    expect((await post('/public', Buffer.alloc(10_000))).json()).toEqual({ length: 10_000 });
  });

  it('are not waited for longer than 15 seconds', async () => {
    const startedMs = performance.now();
    const head = 'POST /public HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n';
    const answer = await server.exchange(`${head}abc`);
    expect(answer).toMatch(/^HTTP\/1.1 408 /);
    expect(answer).toContain('"code":"request_timeout"');
    expect(performance.now() - startedMs).toBeGreaterThan(14_000);
  });

  it('get less decompressed than all together may use', async () => {
    const large = zlib.gzipSync(shrinkingToATenth(4 * MEBIBYTE));
    const answers = await Promise.all(Array.from({ length: 50 }, () => post('/public', large, gzip)));
    for (const { status } of answers) expect([200, 503]).toContain(status);
    expect((await post('/public', large, gzip)).json()).toEqual({ length: 4 * MEBIBYTE });
  });
});

describe('A gate', () => {
  it('refuses before the body is read', async () => {
    const head = 'POST /gated HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 5\r\n';
    const refused = await server.exchange(`${head}Expect: 100-continue\r\n\r\n`);
    expect(refused).toMatch(/^HTTP\/1.1 404 /);
    expect(await server.exchange(`${head}X-Ticket: 1\r\nExpect: 100-continue\r\n\r\nhello`)).toMatch(
      /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /,
    );
  });
});

describe('Large bodies of those who are known', () => {
  it('leave room for small ones', async () => {
    await fill('/known', LIMIT_BYTES, { probeBytes: LIMIT_BYTES, token: 'admin-token' });
    expect((await post('/known', Buffer.alloc(50_000))).json()).toEqual({ length: 50_000 });
    expect((await server.api.post('/small', { a: 1 })).json()).toEqual({ body: { a: 1 } });
    expect((await post('/known', zlib.gzipSync(Buffer.alloc(50_000)), gzip)).json()).toEqual({ length: 50_000 });
  });

  it('count decompressed while somebody works on them, also when their senders go away', async () => {
    const leaving = new AbortController();
    const answers = [0, 1].map(() => server.api.post('/work', bomb, { headers: gzip, signal: leaving.signal }));
    const gone = Promise.allSettled(answers);
    await waitFor('both to be worked on', async () => working.length === 2);
    problemOf(await post('/known', bomb, gzip), 503);
    leaving.abort();
    await gone;
    await waitFor('the server to notice', async () => server.log.filter((line) => line.is_cut_off).length === 2);
    problemOf(await post('/known', bomb, gzip), 503);
    for (const { finish } of working.splice(0)) finish();
    expect((await post('/known', bomb, gzip)).json()).toEqual({ length: BOMB_BYTES });
  });

  it('are given back, whatever becomes of them', async () => {
    const broken = bomb.subarray(0, -20);
    const tooLarge = zlib.gzipSync(Buffer.alloc(LIMIT_BYTES + 1));
    for (let i = 0; i < 10; i++) {
      problemOf(await post('/known', broken, gzip), 400);
      problemOf(await post('/known', tooLarge, gzip), 413);
      expect((await post('/known', bomb, gzip)).status).toBe(200);
    }
  });
});

/** As JSON does; a higher ratio is refused. */
function shrinkingToATenth(length: number): Buffer {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; at += 10_000) randomFillSync(bytes, at, Math.min(1_000, length - at));
  return bytes;
}
