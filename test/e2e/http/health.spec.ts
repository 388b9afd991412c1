import { readFileSync } from 'node:fs';
import path from 'node:path';
import { problemOf } from '../../support/problem.js';
import { useServer } from '../../support/test-server.js';

const server = useServer();
const packageFile = path.resolve(import.meta.dirname, '../../../package.json');

describe('The health of the server', () => {
  it('is public and tells no more than status and version', async () => {
    const answer = await server.api.get('/health', { token: null });
    const { version } = JSON.parse(readFileSync(packageFile, 'utf8')) as { version: string };
    expect([answer.status, answer.json()]).toEqual([200, { status: 'ok', version }]);
  });

  it('with details needs the token', async () => {
    problemOf(await server.api.get('/health/ready', { token: null }), 401);
    const answer = await server.api.get('/health/ready');
    expect(answer.status).toBe(200);
    expect(answer.text).not.toContain(server.storage.secret);
    expect(answer.text).not.toMatch(/postgres:\/\//);
  });
});
