import type { IncomingMessage } from 'node:http';
import { HostCheck } from './host-check.js';

const request = (host: string | undefined, url = '/threads', httpVersion = '1.1', method = 'POST') =>
  ({ headers: { host }, url, httpVersion, method }) as IncomingMessage;

describe('The Host header', () => {
  const check = new HostCheck({ host: '192.0.2.7', allowedHosts: ['Waystation.example', 'fe80::1'] });

  it.each([
    'localhost',
    'LocalHost:8000',
    'localhost.',
    'api.localhost:1',
    '127.0.0.1',
    '127.9.8.7:65535',
    '[::1]',
    '[::1]:8000',
    '192.0.2.7:8000',
    'waystation.example',
    'WAYSTATION.example:443',
    '[fe80::1]:80',
  ])('may be %s', (host) => {
    expect(() => check.check(request(host))).not.toThrow();
  });

  it.each([
    'evil.example',
    'localhost.evil.example',
    'evil.example:8000',
    '127.0.0.1.evil.example',
    '1270.0.0.1',
    '127.0.0.1@evil.example',
    '192.0.2.8',
    '0.0.0.0',
    '',
    'localhost:8000:9',
  ])('must not be %j', (host) => {
    expect(() => check.check(request(host))).toThrow(
      expect.objectContaining({ kind: 'forbidden', code: 'host_not_allowed' }),
    );
  });

  it('is not remembered as good after a bad one', () => {
    check.check(request('localhost'));
    expect(() => check.check(request('evil.example'))).toThrow();
    expect(() => check.check(request('evil.example'))).toThrow();
  });

  it('is only missing where HTTP allows it', () => {
    expect(() => check.check(request(undefined))).toThrow(expect.objectContaining({ code: 'host_missing' }));
    expect(() => check.check(request(undefined, '/health', '1.0'))).not.toThrow();
  });

  it('does not matter to the receiver of channels', () => {
    expect(() => check.check(request('tunnel.example', '/v1/channels/webhook/telegram'))).not.toThrow();
    expect(() => check.check(request('tunnel.example', '/v1/channels/webhook/whatsapp?hub.mode=x'))).not.toThrow();
    for (const below of ['x', '/', '/telegram/agents', '/agents/support', '?/telegram']) {
      expect(() => check.check(request('tunnel.example', `/v1/channels/webhook${below}`))).toThrow();
    }
    expect(() => check.check(request('tunnel.example', '/v1/channels/webhook/config', '1.1', 'PUT'))).toThrow();
  });
});
