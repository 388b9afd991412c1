import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { addEnvFile, envFileNames } from './env-file.js';

describe('The .env of the working directory', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'waystation-env-file-'));
  const before = process.cwd();

  beforeAll(() => process.chdir(folder));
  afterAll(() => {
    process.chdir(before);
    rmSync(folder, { recursive: true });
  });

  it('names no program for commands that run nothing of its folder', () => {
    const lines = ['EDITOR=./evil', 'BROWSER=./evil', 'NODE_OPTIONS=--require=./evil.js', 'MODEL="some model"'];
    writeFileSync('.env', [...lines, 'WAYSTATION_HOME=/var/ws', 'PGSSLMODE=require'].join('\n'));
    const variables = {};
    addEnvFile(variables, false);
    expect(variables).toEqual({ WAYSTATION_HOME: '/var/ws', PGSSLMODE: 'require' });
    expect([...envFileNames()].sort()).toEqual(['PGSSLMODE', 'WAYSTATION_HOME']);
    addEnvFile(variables, true);
    expect(variables).toMatchObject({ EDITOR: './evil', MODEL: 'some model' });
  });

  it('changes no variable that is set, not even an empty one', () => {
    writeFileSync('.env', 'WAYSTATION_PORT=1\nWAYSTATION_HOST=evil\n');
    const variables = { WAYSTATION_PORT: '8001', WAYSTATION_HOST: '' };
    addEnvFile(variables, true);
    expect(variables).toEqual({ WAYSTATION_PORT: '8001', WAYSTATION_HOST: '' });
  });
});
