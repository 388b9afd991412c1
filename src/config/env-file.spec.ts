import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ConfigError } from './config-error.js';
import { addEnvFile, envFile } from './env-file.js';

describe('The .env of the working directory', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'waystation-env-file-'));
  const before = process.cwd();

  /** The variables added to these. */
  function addedBy(content: string | Buffer, variables: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
    writeFileSync('.env', content);
    addEnvFile(variables);
    return variables;
  }

  beforeAll(() => process.chdir(folder));
  afterAll(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  });

  it('names nothing but settings of Waystation', () => {
    const lines = ['EDITOR=./evil', 'NODE_OPTIONS=--require=./evil.js', 'LD_PRELOAD=./evil.so', 'MODEL="some model"'];
    expect(addedBy([...lines, 'WAYSTATION_HOME=/var/ws'].join('\n'))).toEqual({ WAYSTATION_HOME: '/var/ws' });
    expect([...envFile().taken]).toEqual(['WAYSTATION_HOME']);
  });

  it('gives settings of PostgreSQL with the database alone', () => {
    const both = { DATABASE_URL: 'postgres:///x', PGSSLMODE: 'require' };
    expect(addedBy('DATABASE_URL=postgres:///x\nPGSSLMODE=require\n')).toEqual(both);
    const { DATABASE_URL } = both;
    expect(addedBy('PGHOST=evil\nDATABASE_URL=postgres://evil/x\n', { DATABASE_URL })).toEqual({ DATABASE_URL });
    expect([...envFile().refused]).toEqual(['PGHOST']);
  });

  it('names no file, no code and no address for what it does not hold', () => {
    const names = ['WAYSTATION_TOKEN_FILE', 'WAYSTATION_SECRET_FILE', 'DATABASE_URL_FILE', 'WAYSTATION_BASE_IMAGE'];
    const more = ['WAYSTATION_API_FORWARD', 'WAYSTATION_TELEGRAM_API_URL'];
    expect(addedBy([...names, ...more].map((name) => `${name}=/x`).join('\n'))).toEqual({});
    expect([...envFile().refused].sort()).toEqual([...names, ...more].sort());
    expect(addedBy('WAYSTATION_API_URL=x\nWAYSTATION_OUTSIDE_API_URL=y')).toMatchObject({ WAYSTATION_API_URL: 'x' });
  });

  it('changes no variable that is set, not even an empty one, and sets none to nothing', () => {
    const variables = { WAYSTATION_PORT: '8001', WAYSTATION_HOST: '' };
    const lines = 'WAYSTATION_PORT=1\nWAYSTATION_HOST=evil\nWAYSTATION_TOKEN=\nWAYSTATION_HOME="  "\n';
    expect(addedBy(lines, { ...variables })).toEqual(variables);
    expect(envFile().taken.size).toBe(0);
  });

  it('may begin with a byte order mark', () => {
    expect(addedBy('\ufeffWAYSTATION_PORT=8001\n')).toEqual({ WAYSTATION_PORT: '8001' });
  });

  it.each([
    ['UTF-16', Buffer.from('\ufeffWAYSTATION_PORT=8001\n', 'utf16le')],
    ['UTF-16, the other way round', Buffer.from('\ufeffWAYSTATION_PORT=8001\n', 'utf16le').swap16()],
    ['UTF-16 without its mark', Buffer.from('WAYSTATION_PORT=8001\n', 'utf16le')],
  ])('is an error in %s', (_encoding, content) => {
    expect(() => addedBy(content)).toThrow(
      new ConfigError([{ name: '.env', rule: 'is UTF-16 or binary; save it as UTF-8' }]),
    );
  });
});
