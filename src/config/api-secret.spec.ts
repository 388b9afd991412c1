import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { AppConfig } from './app-config.js';
import { apiSecretFile, loadApiSecret, readApiSecret } from './api-secret.js';
import { loadConfig } from './env.js';

describe('The machine secret', () => {
  let home: string;
  let config: AppConfig;

  beforeEach(() => {
    home = path.join(mkdtempSync(path.join(os.tmpdir(), 'waystation-secret-')), 'home');
    config = loadConfig({ WAYSTATION_HOME: home });
  });
  afterEach(() => rmSync(path.dirname(home), { recursive: true }));

  it('is made at the first start, for the eyes of its user only', () => {
    const { value, file } = loadApiSecret(config);
    expect(value).toMatch(/^[0-9a-f]{64}$/);
    expect(file).toBe(path.join(home, '.api-secret'));
    expect([statSync(file).mode & 0o777, statSync(home).mode & 0o777]).toEqual([0o600, 0o700]);
    expect(readdirSync(home)).toEqual(['.api-secret']);
  });

  it('stays the same from then on', () => {
    expect(loadApiSecret(config).value).toBe(loadApiSecret(config).value);
    expect(readApiSecret(config).value).toBe(readFileSync(apiSecretFile(config), 'utf8').trim());
  });

  it.each([0o644, 0o640, 0o604, 0o620])('is refused with mode %o, with the command that fixes it', (mode) => {
    const { file } = loadApiSecret(config);
    chmodSync(file, mode);
    expect(() => loadApiSecret(config)).toThrow(`chmod 600 ${file}`);
  });

  it('is refused when it is too short to be one, without being shown', () => {
    const { file } = loadApiSecret(config);
    writeFileSync(file, 'swordfish');
    expect(() => loadApiSecret(config)).toThrow(/32 to 512 printable/);
    expect(() => loadApiSecret(config)).not.toThrow(/swordfish/);
  });

  it('is never made by those who only read it', () => {
    expect(() => readApiSecret(config)).toThrow(/does not exist/);
    expect(existsSync(home)).toBe(false);
  });

  it('that several instances are to share must be there already', () => {
    const file = path.join(home, 'shared');
    const env = { WAYSTATION_HOME: home, WAYSTATION_SECRET_FILE: file, DATABASE_URL: 'postgres://db/x' };
    expect(() => loadApiSecret(loadConfig(env))).toThrow(/does not exist/);
    expect(loadApiSecret(loadConfig({ ...env, DATABASE_URL: '' })).file).toBe(file);
    expect(loadApiSecret(loadConfig(env)).file).toBe(file);
  });
});
