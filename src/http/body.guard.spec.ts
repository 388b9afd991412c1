import { request } from 'node:http';
import zlib from 'node:zlib';
import { Body, Controller, HttpCode, Post, Req } from '@nestjs/common';
import { BareApp } from '../../test/support/bare-app.js';
import { problemOf } from '../../test/support/problem.js';
import { waitFor } from '../../test/support/wait.js';
import type { ApiRequest } from './api-request.js';
import { RawBody, RawBytes } from './body.decorators.js';

@Controller()
class EchoController {
  @Post('json')
  @HttpCode(200)
  json(@Body() body: unknown): object {
    return { body: body === undefined ? 'nothing' : body };
  }

  @Post('raw')
  @HttpCode(200)
  @RawBody({ limitBytes: ({ maxBodyBytes }) => maxBodyBytes, contentType: 'json' })
  raw(@RawBytes() bytes: Buffer, @Req() { body }: ApiRequest): object {
    return { text: bytes.toString('latin1'), isParsed: body !== undefined };
  }

  @Post('any')
  @HttpCode(200)
  @RawBody({ limitBytes: 10, contentType: 'any' })
  any(@RawBytes() bytes: Buffer): object {
    return { length: bytes.length };
  }
}

let server: BareApp;

beforeAll(async () => {
  server = await BareApp.start([EchoController], { WAYSTATION_MAX_BODY_BYTES: '4096' });
});
afterAll(() => server.stop());

describe('A body', () => {
  it('is parsed as JSON', async () => {
    const body = { text: 'ä€😀', nested: [1, null] };
    expect((await server.api.post('/json', body)).json()).toEqual({ body });
  });

  it('may be absent', async () => {
    expect((await server.api.post('/json')).json()).toEqual({ body: 'nothing' });
    expect((await server.api.post('/raw')).json()).toEqual({ text: '', isParsed: false });
  });

  it('may come in chunks, without a length', async () => {
    const raw =
      'POST /json HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer admin-token\r\nConnection: close\r\n' +
      'Transfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n4\r\n":1}\r\n0\r\n\r\n';
    expect(await server.exchange(raw)).toContain('{"body":{"a":1}}');
  });

  it('is handed on as bytes where the route wants them', async () => {
    expect((await server.api.post('/raw', '{"a":1, broken')).json()).toEqual({
      text: '{"a":1, broken',
      isParsed: false,
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    expect((await server.api.post('/any', 'a=1', { headers })).json()).toEqual({ length: 3 });
  });

  it.each([
    ['gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['br', zlib.brotliCompressSync],
  ])('in %s is decompressed', async (coding, compress) => {
    const answer = await server.api.post('/json', compress('{"a":1}'), { headers: { 'content-encoding': coding } });
    expect(answer.json()).toEqual({ body: { a: 1 } });
  });

  it.each([
    ['that is broken JSON', '{"a":', {}, 400, 'invalid_json'],
    ['that is not UTF-8', Buffer.from([0x22, 0xc3, 0x22]), {}, 400, 'invalid_utf8'],
    ['that is text', 'hello', { 'content-type': 'text/plain' }, 415, 'unsupported_content_type'],
    ['in another charset', '{}', { 'content-type': 'application/json; charset=utf-16' }, 415, 'unsupported_charset'],
    ['in another coding', '{}', { 'content-encoding': 'zstd' }, 415, 'unsupported_content_encoding'],
    ['that is not gzip', '{}', { 'content-encoding': 'gzip' }, 400, 'invalid_content_encoding'],
  ])('%s is a problem', async (_, body, headers, status, code) => {
    const problem = problemOf(await server.api.post('/json', body, { headers: headers }), status);
    expect(problem.code).toBe(code);
  });
});

describe('A body that is too large', () => {
  it('is refused by what its length says', async () => {
    expect((await server.api.post('/raw', 'x'.repeat(4096))).status).toBe(200);
    problemOf(await server.api.post('/raw', 'x'.repeat(4097)), 413);
    problemOf(await server.api.post('/json', Buffer.alloc(1024 * 1024 + 1, 0x20)), 413);
    expect((await server.api.post('/any', '1234567890')).status).toBe(200);
    problemOf(await server.api.post('/any', '12345678901'), 413);
  });

  it('is refused when it is so in chunks or decompressed', async () => {
    const chunk = `1000\r\n${'x'.repeat(4096)}\r\n`;
    const head = 'POST /raw HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer admin-token\r\nConnection: close\r\n';
    const answer = await server.exchange(`${head}Transfer-Encoding: chunked\r\n\r\n${chunk}${chunk}0\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 413 /);
    const bomb = zlib.gzipSync(Buffer.alloc(1_000_000));
    problemOf(await server.api.post('/raw', bomb, { headers: { 'content-encoding': 'gzip' } }), 413);
  });
});

describe('A caller', () => {
  const head =
    'POST /json HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 2\r\nExpect: 100-continue\r\n';

  it('without a token is refused before the body is read', async () => {
    const answer = await server.exchange(`${head}\r\n`);
    expect(answer).toMatch(/^HTTP\/1.1 401 /);
    expect(answer).not.toContain('100 Continue');
  });

  it('with a token is told to send the body', async () => {
    expect(await server.exchange(`${head}Authorization: Bearer admin-token\r\n\r\n{}`)).toMatch(
      /^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 /,
    );
  });

  it('that goes away in the middle of its body alarms nobody', async () => {
    const before = server.log.length;
    const headers = server.api.headersFor({ headers: { 'content-length': '100', 'content-type': 'application/json' } });
    const call = request(new URL('/json', server.api.baseUrl), { method: 'POST', headers, agent: false });
    call.on('error', () => undefined);
    call.write('{"a":', () => call.destroy());
    await waitFor('the line about it', async () => server.log.length > before);
    expect(server.log.slice(before)).toEqual([
      expect.objectContaining({ level: 'info', is_cut_off: true, path: '/json' }),
    ]);
  });
});
