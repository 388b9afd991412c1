import { existsSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { checkpoint, newThreadId } from '../factories/events.js';
import { record } from '../support/recording.js';
import { ServerProcess } from '../support/server-process.js';
import { freshStorage, siblingHome, type TestStorage } from '../support/storage.js';

/** Status of the answer through the socket of a home directory. */
function through(home: string, apiPath: string, token?: string): Promise<number | undefined> {
  const headers = { host: '127.0.0.1:8000', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  return new Promise((resolve, reject) => {
    const call = request({ socketPath: fileIn(home), path: apiPath, headers }, (answer) => {
      answer.resume();
      answer.once('end', () => resolve(answer.statusCode));
    });
    call.once('error', reject).end();
  });
}

const fileIn = (home: string) => path.join(home, 'run', 'api.sock');

describe('The API on its Unix socket', () => {
  let storage: TestStorage;
  let server: ServerProcess;

  beforeEach(async () => {
    storage = await freshStorage();
    server = await ServerProcess.start(storage);
  });
  afterEach(async () => {
    await server.stop();
    await storage.dispose();
  });

  it('wants the same token as on the port', async () => {
    const threadId = newThreadId();
    await record(server.api, checkpoint(threadId, 0));
    expect(await through(storage.home, `/threads/${threadId}`, storage.secret)).toBe(200);
    expect(await through(storage.home, '/threads')).toBe(401);
    expect(await through(storage.home, '/threads', 'wrong')).toBe(401);
    expect(await through(storage.home, '/health')).toBe(200);
  });

  it('is there again after kill -9, and gone after a stop', async () => {
    await server.kill();
    await expect(through(storage.home, '/health')).rejects.toThrow('ECONNREFUSED');
    server = await ServerProcess.start(storage);
    expect(await through(storage.home, '/threads', storage.secret)).toBe(200);
    expect(await server.stop()).toBe(0);
    expect(existsSync(fileIn(storage.home))).toBe(false);
  });

  it('is another one for each home directory', async () => {
    const other = await freshStorage();
    const second = await ServerProcess.start(other);
    expect(await through(other.home, '/threads', other.secret)).toBe(200);
    expect(await through(other.home, '/threads', storage.secret)).toBe(401);
    await second.stop();
    await other.dispose();
    expect(await through(storage.home, '/threads', storage.secret)).toBe(200);
  });

  it('stays with the first of several instances in one home', async () => {
    if (storage.databaseUrl === null) return;
    const sibling = await ServerProcess.start(storage);
    expect(sibling.printed).toContain('another server has it');
    await sibling.stop();
    expect(await through(storage.home, '/threads', storage.secret)).toBe(200);
  });

  it('is missed by nobody who starts a server where its path would be too long', async () => {
    const home = await siblingHome(storage);
    const long = path.join(home, 'x'.repeat(80));
    const elsewhere = await ServerProcess.start(
      { ...storage, sqlitePath: '' },
      {
        env: { WAYSTATION_HOME: long, WAYSTATION_SECRET_FILE: path.join(home, '.api-secret') },
      },
    );
    expect(elsewhere.printed).toContain('its path is too long');
    expect(await elsewhere.stop()).toBe(0);
  });
});
