import { isReachable, ServerConfig } from './server.config.js';

describe('A server', () => {
  it.each([
    ['127.0.0.1', {}, false],
    ['::1', {}, false],
    ['localhost', {}, false],
    ['0.0.0.0', {}, true],
    ['192.0.2.7', {}, true],
    ['127.0.0.1', { publicUrl: 'https://waystation.example.com' }, true],
    ['127.0.0.1', { receiverPort: 0 }, true],
  ])('at %s with %j may be reached by others: %s', (host, more, expected) => {
    expect(isReachable(Object.assign(new ServerConfig(), { host }, more))).toBe(expected);
  });
});
