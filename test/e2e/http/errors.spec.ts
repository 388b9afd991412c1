import { request } from 'node:http';
import { connect } from 'node:net';
import { problemOf } from '../../support/problem.js';
import { latestPath } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

const server = useSharedServer();

describe('Every failure is a problem document', () => {
  it.each([
    ['/nowhere', 404],
    ['/threads/%zz', 400],
    ['/threads/%E0%A4%A', 400],
    ['/threads?limit=0', 400],
    [latestPath('not-there'), 404],
    ['/v1/runners/events', 404, 405],
  ])('GET %s', async (path, ...statuses) => {
    const answer = await server.api.get(path);
    expect(statuses).toContain(answer.status);
    const problem = problemOf(answer, answer.status);
    expect(problem.instance).not.toBe('');
  });

  it('wrong methods on known paths included', async () => {
    for (const method of ['PUT', 'PATCH', 'DELETE']) {
      const answer = await server.api.send(method, '/v1/runners/events');
      expect([404, 405]).toContain(answer.status);
      problemOf(answer, answer.status);
    }
  });

  it('oversized headers included', async () => {
    const answer = await server.api.get('/threads', { headers: { 'x-long': 'x'.repeat(64 * 1024) } });
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
    expect(answer.json()).toMatchObject({ status: 431, code: 'headers_too_large' });
  });

  it('bytes that are no HTTP included', async () => {
    const text = await rawExchange('this is not HTTP\r\n\r\n');
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).toContain('application/problem+json');
    expect(text).toMatch(/\r\nX-Content-Type-Options: nosniff\r\n/i);
  });

  it.each([
    ['Expect: 200-ok', 'GET /health HTTP/1.1', 'Host: localhost\r\nExpect: 200-ok', 417, 'expectation_failed'],
    ['two Host headers', 'GET /health HTTP/1.1', 'Host: localhost\r\nhost: evil.example', 400, 'host_ambiguous'],
    ['the same Host twice', 'GET /health HTTP/1.1', 'Host: localhost\r\nHost: localhost', 400, 'host_ambiguous'],
    ['a foreign address', 'GET http://evil.example/health HTTP/1.1', 'Host: localhost', 400, 'foreign_authority'],
    ['another user', 'GET http://localhost@evil.example/health HTTP/1.1', 'Host: localhost', 400, 'foreign_authority'],
    ['another port', 'GET http://localhost:1/health HTTP/1.1', 'Host: localhost', 400, 'foreign_authority'],
    ['another scheme', 'GET ftp://localhost/health HTTP/1.1', 'Host: localhost', 400, 'foreign_authority'],
    [
      'a name that is not ours',
      'GET http://evil.example/health HTTP/1.1',
      'Host: evil.example',
      403,
      'host_not_allowed',
    ],
    ['no Host, but an address', 'GET http://evil.example/health HTTP/1.0', 'Accept: */*', 403, 'host_not_allowed'],
    ['CONNECT', 'CONNECT localhost:443 HTTP/1.1', 'Host: localhost', 405, 'method_not_allowed'],
    ['CONNECT elsewhere', 'CONNECT evil.example:443 HTTP/1.1', 'Host: evil.example:443', 403, 'host_not_allowed'],
  ])('%s included, with the headers of every answer', async (_, line, headers, status, code) => {
    const text = await rawExchange(`${line}\r\n${headers}\r\nConnection: close\r\n\r\n`);
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    const [head, body] = text.split('\r\n\r\n') as [string, string];
    expect(head).toMatch(/\r\nContent-Type: application\/problem\+json/i);
    expect(head).toMatch(/\r\nX-Request-Id: \S+/i);
    expect(head).toMatch(/\r\nX-Content-Type-Options: nosniff/i);
    expect(JSON.parse(body)).toMatchObject({ status, code });
  });

  it('while an address in the first line that is ours is served', async () => {
    const text = await rawExchange(
      'GET http://LOCALHOST/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    );
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    const bare = await rawExchange('GET http://localhost HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n');
    expect(bare).toMatch(/^HTTP\/1\.1 (404|30\d) /);
  });

  it('and the server goes on after a client that gave up in the middle of its body', async () => {
    await new Promise<void>((resolve) => {
      const call = request(new URL('/v1/runners/events', server.api.baseUrl), {
        method: 'POST',
        headers: server.api.headersFor({ headers: { 'content-type': 'application/json', 'content-length': '1000' } }),
      });
      call.on('error', () => resolve());
      call.write('{"events":', () => call.destroy());
      call.on('close', () => resolve());
    });
    expect((await server.api.get('/health')).status).toBe(200);
  });
});

describe('The correlation id', () => {
  it('is taken from the request or made up, and is on every answer', async () => {
    const given = await server.api.get('/health', { headers: { 'x-request-id': 'my-id:1.2' } });
    expect(given.headers['x-request-id']).toBe('my-id:1.2');
    const [first, second] = [await server.api.get('/health'), await server.api.get('/nowhere', { token: null })];
    expect(first.headers['x-request-id']).toMatch(/^[\w.:-]{1,128}$/);
    expect(second.headers['x-request-id']).toMatch(/^[\w.:-]{1,128}$/);
    expect(first.headers['x-request-id']).not.toBe(second.headers['x-request-id']);
  });

  it.each(['spaces are bad', 'x'.repeat(129), 'semi;colon', '<script>'])('is made up instead of %j', async (id) => {
    const answer = await server.api.get('/health', { headers: { 'x-request-id': id } });
    expect(answer.headers['x-request-id']).not.toBe(id);
  });
});

describe('The Host header', () => {
  it.each([
    'localhost',
    'localhost:8000',
    '127.0.0.1',
    '127.0.0.1:9',
    '127.1.2.3:80',
    '[::1]:8000',
    'api.localhost',
    'LOCALHOST',
  ])('may be %s', async (host) => {
    expect((await server.api.get('/health', { headers: { host } })).status).toBe(200);
  });

  it.each([
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    'xlocalhost',
    '127.0.0.1@evil.example',
  ])('must not be %j, which a rebound name would send', async (host) => {
    const answer = await server.api.get('/threads', { headers: { host } });
    expect([400, 403]).toContain(answer.status);
    problemOf(answer, answer.status);
  });
});

describe('Answers', () => {
  it('carry protective headers and neither name the framework nor allow other origins', async () => {
    const { headers } = await server.api.get('/threads', { headers: { origin: 'https://evil.example' } });
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers).not.toHaveProperty('x-powered-by');
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });
});

function rawExchange(text: string): Promise<string> {
  const { hostname, port } = new URL(server.api.baseUrl);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text));
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')));
  });
}
