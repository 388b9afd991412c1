import { existsSync } from 'node:fs';
import { request } from 'node:http';
import path from 'node:path';
import { checkpoint, newThreadId } from '../factories/events.js';
import { testDialect } from '../support/dialect.js';
import { record } from '../support/recording.js';
import { ServerProcess } from '../support/server-process.js';
import { freshStorage } from '../support/storage.js';
import { useServer } from '../support/test-server.js';

/** Status of the response through the socket of a home directory. */
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

const server = useServer();

/** Independent of the database. */
if (testDialect() === 'sqlite') {
  describe('The API on its Unix socket', () => {
    it('wants the same token as on the port', async () => {
      const { home, secret } = server.storage;
      const threadId = newThreadId();
      await record(server.api, checkpoint(threadId, 0));
      expect(await through(home, `/threads/${threadId}`, secret)).toBe(200);
      expect(await through(home, '/threads')).toBe(401);
      expect(await through(home, '/threads', 'wrong')).toBe(401);
      expect(await through(home, '/health')).toBe(200);
    });

    it('is another one for each home directory', async () => {
      const other = await freshStorage();
      const second = await ServerProcess.start(other);
      try {
        expect(await through(other.home, '/threads', other.secret)).toBe(200);
        expect(await through(other.home, '/threads', server.storage.secret)).toBe(401);
      } finally {
        await second.stop();
        await other.dispose();
      }
      expect(await through(server.storage.home, '/threads', server.storage.secret)).toBe(200);
    });

    it('is missed by nobody who starts a server where its path would be too long', async () => {
      const storage = await freshStorage();
      const env = {
        WAYSTATION_HOME: path.join(storage.home, 'x'.repeat(80)),
        WAYSTATION_SECRET_FILE: path.join(storage.home, '.api-secret'),
      };
      const elsewhere = await ServerProcess.start(storage, { env });
      expect(elsewhere.printed).toContain('its path is too long');
      expect(await elsewhere.stop()).toBe(0);
      await storage.dispose();
    });

    // Must be the last test: it stops the server.
    it('is there again after kill -9, and gone after a stop', async () => {
      const { home, secret } = server.storage;
      await server.process.kill();
      await expect(through(home, '/health')).rejects.toThrow('ECONNREFUSED');
      const again = await server.restart();
      expect(await through(home, '/threads', secret)).toBe(200);
      expect(await again.stop()).toBe(0);
      expect(existsSync(fileIn(home))).toBe(false);
    });
  });
}

/** SQLite has one process. */
if (testDialect() === 'postgres') {
  describe('The Unix socket of a home', () => {
    it('stays with the first of several instances in it', async () => {
      const sibling = await ServerProcess.start(server.storage);
      expect(sibling.printed).toContain('another server has it');
      await sibling.stop();
      expect(await through(server.storage.home, '/threads', server.storage.secret)).toBe(200);
    });
  });
}
