import type { Server } from 'node:http';
import { connect } from 'node:net';
import { Controller, Get, Post, Query, Req, Res } from '@nestjs/common';
import { BareApp } from '../../test/support/bare-app.js';
import { problemOf } from '../../test/support/problem.js';
import { waitFor } from '../../test/support/wait.js';
import { Public, Quiet, Scopes } from './access.decorators.js';
import type { ApiRequest, ApiResponse } from './api-request.js';

let release: (() => void) | undefined;

@Controller()
class SampleController {
  @Get('shape')
  @Public()
  shape(@Query() _query: Record<string, unknown>): object {
    return {};
  }

  @Get('items/:id')
  @Scopes('runner')
  @Quiet()
  item(@Req() request: ApiRequest, @Query() _query: Record<string, unknown>): object {
    return { id: request.params.id };
  }

  @Post('items/:id')
  bug(): never {
    throw new TypeError('hunter2');
  }

  @Get('half')
  half(@Res() response: ApiResponse): void {
    response.write('the first half');
    throw new TypeError('hunter2');
  }

  @Get('slow')
  async slow(): Promise<object> {
    await new Promise<void>((resolve) => (release = resolve));
    return { isDone: true };
  }
}

describe('The HTTP layer', () => {
  let server: BareApp;
  beforeAll(async () => {
    server = await BareApp.start([SampleController]);
  });
  afterAll(() => server.stop());

  it('lets in by scope, and admin everywhere', async () => {
    const statuses = ['admin-token', 'runner-token', 'approver-token', 'other', null].map(
      async (token) => (await server.api.get('/items/1', { token })).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 403, 401, 401]);
    expect((await server.api.post('/items/1', undefined, { token: 'runner-token' })).status).toBe(403);
  });

  it('answers a bug with 500 and nothing of the inside, and logs it with the request', async () => {
    const answer = await server.api.post('/items/1', {}, { headers: { 'x-request-id': 'bug-1' } });
    expect(problemOf(answer, 500).code).toBe('internal_error');
    expect(answer.text).not.toContain('hunter2');
    const line = server.log.find((one) => one.request_id === 'bug-1' && one.err !== undefined);
    expect(line).toMatchObject({ level: 'error', path: '/items/1', err: { message: 'hunter2' } });
  });

  it('cuts off an answer that cannot be completed', async () => {
    await expect(server.api.get('/half')).rejects.toThrow();
  });

  it('gives a body more time than the longest upload has', () => {
    const { requestTimeout, headersTimeout } = server.app.getHttpServer() as Server;
    expect(requestTimeout).toBeGreaterThan(10 * 60_000);
    expect(headersTimeout).toBeLessThanOrEqual(60_000);
  });

  it('tells a wrong method from a wrong path', async () => {
    const wrong = await server.api.send('PATCH', '/items/1');
    expect(problemOf(wrong, 405).code).toBe('method_not_allowed');
    expect(wrong.headers.allow).toBe('GET, HEAD, POST');
    expect(problemOf(await server.api.get('/itemz'), 404).code).toBe('route_not_found');
    const options = await server.api.send('OPTIONS', '/items/1');
    expect([options.status, options.headers.allow]).toEqual([204, 'GET, HEAD, POST']);
    expect((await server.api.send('HEAD', '/items/1')).status).toBe(200);
  });

  it('takes ids as they are, and refuses broken encoding', async () => {
    expect((await server.api.get('/items/a%2Fb%20%C3%A4')).json()).toEqual({ id: 'a/b ä' });
    expect(problemOf(await server.api.get('/items/%zz'), 400).code).toBe('invalid_path');
    expect(problemOf(await server.api.get('/%zz'), 400).code).toBe('invalid_path');
  });

  it('wants a Host header from HTTP/1.1', async () => {
    expect(await server.exchange('GET /shape HTTP/1.1\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1.1 400 .*host_missing/s,
    );
    expect(await server.exchange('GET /shape HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1.1 200 /);
  });

  it('logs one line a request, the many good ones at debug, and never a query', async () => {
    const begin = server.log.length;
    await server.api.get('/items/1?token=hunter2');
    await server.api.get('/shape?token=hunter2');
    await waitFor('the lines', async () => server.log.length >= begin + 2);
    const lines = server.log.slice(begin);
    expect(lines.map(({ level, path, status }) => [level, path, status])).toEqual([
      ['debug', '/items/1', 200],
      ['debug', '/shape', 200],
    ]);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
  });
});

describe('Closing the HTTP layer', () => {
  beforeEach(() => {
    release = undefined;
  });

  it('waits for the requests in flight, and for nothing else', async () => {
    const server = await BareApp.start([SampleController]);
    const silent = connect(Number(new URL(server.api.baseUrl).port), '127.0.0.1').on('error', () => undefined);
    await new Promise((resolve) => silent.once('connect', resolve));
    const answer = server.api.get('/slow');
    await waitFor('the request to be in flight', () => release !== undefined);
    const closed = server.app.close();
    await waitFor('the door to be shut', async () => !server.adapter.getHttpServer().listening);
    release?.();
    expect((await answer).json()).toEqual({ isDone: true });
    await closed;
    server.api.close();
  });

  it('cuts off after its time what does not end', async () => {
    const server = await BareApp.start([SampleController], { WAYSTATION_SHUTDOWN_TIMEOUT_MS: '50' });
    const answer = server.api.get('/slow').then(
      () => 'answered',
      () => 'cut off',
    );
    await waitFor('the request to be in flight', () => release !== undefined);
    await server.app.close();
    expect(await answer).toBe('cut off');
    server.api.close();
  });
});
