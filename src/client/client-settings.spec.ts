import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { writeServerRecord } from '../common/server-record.js';
import { clientSettings, type GivenSettings } from './client-settings.js';

const home = mkdtempSync(path.join(os.tmpdir(), 'waystation-client-'));
const ENV = { WAYSTATION_HOME: home, WAYSTATION_TOKEN: 'wst_token', WAYSTATION_AGENT_ID: 'support' };

afterAll(() => rmSync(home, { recursive: true }));

function writeRunning(content: string): void {
  mkdirSync(path.join(home, 'run'), { recursive: true });
  writeFileSync(path.join(home, 'run', 'server.json'), content);
}

const read = (given: GivenSettings, env: Record<string, string> = ENV) => {
  const { api, ...settings } = clientSettings(given, env);
  return { ...settings, apiUrl: api.current };
};

describe('The settings of a client', () => {
  afterEach(() => rmSync(path.join(home, 'run'), { recursive: true, force: true }));

  it('come from the program first, then from the environment', () => {
    expect(read({}, { ...ENV, WAYSTATION_API_URL: 'http://api.test' })).toEqual({
      apiUrl: 'http://api.test',
      token: 'wst_token',
      agentId: 'support',
    });
    const given = { apiUrl: 'http://other.test', token: 'other', agentId: 'billing' };
    expect(read(given, { ...ENV, WAYSTATION_API_URL: 'http://api.test' })).toEqual(given);
  });

  it('take the address of the running server of the home, and the usual one where none runs', () => {
    expect(read({}, ENV).apiUrl).toBe('http://127.0.0.1:8000');
    writeServerRecord(home, {
      url: 'http://127.0.0.1:8001',
      public_url: null,
      version: '0.1.0',
      database: null,
      storage: null,
    });
    expect(read({}, ENV).apiUrl).toBe('http://127.0.0.1:8001');
  });

  it.each(['', '{', 'null', '{"url": 1}', '{"url": "file:///etc"}'])('ignore a server file that says %j', (content) => {
    writeRunning(content);
    expect(read({}, ENV).apiUrl).toBe('http://127.0.0.1:8000');
  });

  it('take no address from a home that others can write', () => {
    chmodSync(home, 0o777);
    expect(() => read({}, ENV)).toThrow(/chmod 700/);
    expect(read({ apiUrl: 'http://api.test' }, ENV).apiUrl).toBe('http://api.test');
    chmodSync(home, 0o700);
  });

  it('take the machine secret to its own server alone', () => {
    const server = { public_url: null, version: '0.1.0', database: null, storage: null };
    writeServerRecord(home, { url: 'http://127.0.0.1:8001', ...server });
    const secret = path.join(home, '.api-secret');
    const link = path.join(home, 'link');
    writeFileSync(secret, 's'.repeat(64));
    symlinkSync(secret, link);
    for (const WAYSTATION_TOKEN_FILE of [secret, link]) {
      const env = { ...ENV, WAYSTATION_TOKEN: '', WAYSTATION_TOKEN_FILE };
      for (const WAYSTATION_API_URL of ['http://127.0.0.1:8002', 'https://evil.example']) {
        expect(() => read({}, { ...env, WAYSTATION_API_URL })).toThrow(/^The machine secret (?!.*ssss)/);
      }
      expect(read({}, { ...env, WAYSTATION_API_URL: 'http://127.0.0.1:8001/' }).token).toBe('s'.repeat(64));
    }
  });

  it('read the token from a file', () => {
    const file = path.join(home, 'token');
    writeFileSync(file, 'wst_from_file\n');
    expect(read({}, { ...ENV, WAYSTATION_TOKEN: '', WAYSTATION_TOKEN_FILE: file }).token).toBe('wst_from_file');
  });

  it.each([
    [
      'no token',
      { WAYSTATION_TOKEN: ' ' },
      /^No token for Waystation: set WAYSTATION_TOKEN .*\(in a clone: `npx waystation .*\)\.$/,
    ],
    [
      'no file of a token',
      { WAYSTATION_TOKEN: '', WAYSTATION_TOKEN_FILE: '/nowhere/token' },
      /^The file [^.]*cannot be read\.$/,
    ],
    ['no agent', { WAYSTATION_AGENT_ID: '' }, /^No agent [^.]*WAYSTATION_AGENT_ID\.$/],
    ['no URL', { WAYSTATION_API_URL: '127.0.0.1:8000' }, /^The address [^.]* URL\.$/],
  ])('say in one sentence that there is %s', (_, wrong, sentence) => {
    expect(() => read({}, { ...ENV, ...wrong })).toThrow(sentence);
  });

  it('show no token that cannot be sent', () => {
    const secret = 'wst_secret\nwst_second_line';
    expect(() => read({ token: secret }, ENV)).toThrow(/^(?!.*wst_s)/s);
  });
});
