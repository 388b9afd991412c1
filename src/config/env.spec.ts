import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { AppConfig } from './app-config.js';
import { ConfigError } from './config-error.js';
import { loadAgentConfig, loadClientConfig, loadConfig } from './env.js';

function faultsOf(load: () => unknown): string[] {
  try {
    load();
  } catch (error) {
    if (error instanceof ConfigError) return error.faults.map(({ name }) => name);
    throw error;
  }
  return [];
}

describe('The configuration', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'waystation-env-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it('of an empty environment is the defaults', () => {
    const { server, database, ingestion, retention, security } = loadConfig({});
    const defaults = new AppConfig();
    expect({ server, database, ingestion, retention, security }).toEqual({
      server: defaults.server,
      database: defaults.database,
      ingestion: defaults.ingestion,
      retention: defaults.retention,
      security: defaults.security,
    });
    expect([server.host, server.port, database.url, retention.days]).toEqual(['127.0.0.1', 8000, null, 0]);
  });

  it('reads the hosts that notices may go to', () => {
    const { notices } = loadConfig({ WAYSTATION_NOTICE_HOSTS: 'Hooks.corp, 10.0.0.7,[fd00::7]' });
    expect(notices.hosts).toEqual(['hooks.corp', '10.0.0.7', 'fd00::7']);
  });

  it('takes an empty variable for an absent one', () => {
    expect(loadConfig({ WAYSTATION_PORT: '', DATABASE_URL: ' ', WAYSTATION_HOME: '' })).toEqual(loadConfig({}));
  });

  it('keeps the database beside the secret unless told otherwise', () => {
    expect(loadConfig({ WAYSTATION_HOME: '/var/ws' }).database.sqlitePath).toBe('/var/ws/waystation.db');
    const both = { WAYSTATION_HOME: '/var/ws', WAYSTATION_SQLITE_PATH: '/data/x.db' };
    expect(loadConfig(both).database.sqlitePath).toBe('/data/x.db');
  });

  it('names all faults at once, and never a value', () => {
    const env = {
      WAYSTATION_PORT: '70000',
      WAYSTATION_ALLOWED_HOSTS: 'http://evil.example/',
      WAYSTATION_MAX_EVENTS_PER_BATCH: '0',
      WAYSTATION_LOG_LEVEL: 'shout',
      WAYSTATION_LOG_PRETTY: 'perhaps',
      DATABASE_URL: 'mysql://user:hunter2@db/x',
    };
    expect(faultsOf(() => loadConfig(env)).sort()).toEqual(Object.keys(env).sort());
    expect(() => loadConfig(env)).toThrow(
      expect.objectContaining({ message: expect.not.stringMatching(/hunter2|70000/) }),
    );
  });

  it.each(['-1', '1.5', '1e3', '0x10', 'eight', '99999999999999999999'])('does not take %j for a port', (port) => {
    expect(faultsOf(() => loadConfig({ WAYSTATION_PORT: port }))).toEqual(['WAYSTATION_PORT']);
  });

  it.each([
    ['https://Waystation.example/', 'https://waystation.example'],
    ['http://10.0.0.7:8080', 'http://10.0.0.7:8080'],
    ['https://[::1]:443', 'https://[::1]'],
  ])('takes %j for the public origin', (url, origin) => {
    expect(loadConfig({ WAYSTATION_PUBLIC_URL: url }).server.publicUrl).toBe(origin);
  });

  it.each([
    'waystation.example',
    'ftp://a.example',
    'https://a.example/console',
    'https://u:p@a.example',
    'https://a?b',
  ])('does not take %j for it', (url) =>
    expect(faultsOf(() => loadConfig({ WAYSTATION_PUBLIC_URL: url }))).toEqual(['WAYSTATION_PUBLIC_URL']),
  );

  it('reads a secret from a file, without the line break at its end', () => {
    const file = path.join(folder, 'url');
    writeFileSync(file, 'postgres://u:p@db/x\n');
    expect(loadConfig({ DATABASE_URL_FILE: file }).database.url).toBe('postgres://u:p@db/x');
    expect(faultsOf(() => loadConfig({ DATABASE_URL_FILE: `${file}.not-there` }))).toEqual(['DATABASE_URL_FILE']);
    expect(faultsOf(() => loadConfig({ DATABASE_URL_FILE: file, DATABASE_URL: 'postgres://db/x' }))).toEqual([
      'DATABASE_URL',
    ]);
  });

  it('of a client has an address without a trailing slash', () => {
    expect(loadClientConfig({ WAYSTATION_API_URL: 'https://api.example/base/' }).apiUrl).toBe(
      'https://api.example/base',
    );
    expect(faultsOf(() => loadClientConfig({ WAYSTATION_API_URL: 'api.example' }))).toEqual(['WAYSTATION_API_URL']);
  });

  it('forwards to the API only from a loopback address, and only to a socket or port', () => {
    const agent =
      (forward: string, apiUrl = 'http://127.0.0.1:8000') =>
      () =>
        loadAgentConfig({}, { WAYSTATION_API_FORWARD: forward, WAYSTATION_API_URL: apiUrl });
    expect(agent('unix:/run/api.sock')().apiForward).toBe('unix:/run/api.sock');
    expect(agent('tcp://host.docker.internal:8000')().apiForward).toBe('tcp://host.docker.internal:8000');
    for (const wrong of ['/run/api.sock', 'unix:api.sock', 'tcp://host', 'http://host:1']) {
      expect(faultsOf(agent(wrong))).toEqual(['WAYSTATION_API_FORWARD']);
    }
    expect(faultsOf(agent('unix:/run/api.sock', 'https://example.com'))).toEqual(['WAYSTATION_API_FORWARD']);
  });

  it('calls the platforms themselves unless told otherwise, and takes only addresses that a path can be added to', () => {
    const { channels } = loadConfig({ WAYSTATION_TELEGRAM_API_URL: 'http://127.0.0.1:9999/' });
    expect(channels.apiUrls).toEqual({ telegram: 'http://127.0.0.1:9999' });
    const env = {
      WAYSTATION_TELEGRAM_API_URL: 'ftp://x.org',
      WAYSTATION_WHATSAPP_API_URL: 'https://x.org/?a=1',
      WAYSTATION_SLACK_API_URL: 'https://user:word@x.org',
      WAYSTATION_PLATFORM_TIMEOUT_MS: '0',
    };
    expect(faultsOf(() => loadConfig(env)).sort()).toEqual(Object.keys(env).sort());
  });
});
