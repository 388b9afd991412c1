import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { Clock } from '../../src/common/clock.js';
import { ConfigError } from '../../src/config/config-error.js';
import { loadConfig } from '../../src/config/env.js';
import { createApp } from '../../src/create-app.js';
import { startApp, type InProcessApp } from '../support/in-process-app.js';
import { ServerProcess } from '../support/server-process.js';
import { changeStored, siblingHome } from '../support/storage.js';

class SetClock extends Clock {
  timeMs = 1_763_600_000_000;

  override nowMs(): number {
    return this.timeMs;
  }
}

interface Readiness {
  database: { kind: string };
  instances: { id: string; pid: number; started_at: string; last_seen: string }[];
}

const readinessOf = async ({ api }: InProcessApp) => (await api.get('/health/ready')).json<Readiness>();

describe('An API server', () => {
  it('is in the table of instances while it runs', async () => {
    const clock = new SetClock();
    const server = await startApp({ clock });
    try {
      const { database, instances } = await readinessOf(server);
      expect(database.kind).toBe(server.storage.dialect);
      const at = '2025-11-20T00:53:20.000Z';
      expect(instances).toEqual([expect.objectContaining({ pid: process.pid, started_at: at, last_seen: at })]);
    } finally {
      await server.stop();
    }
  });

  it('forgets those that died without a word', async () => {
    const clock = new SetClock();
    const server = await startApp({ clock });
    const sibling = async (timeMs: number) => {
      clock.timeMs = timeMs;
      const config = loadConfig({ ...server.storage.env, WAYSTATION_LOG_LEVEL: 'silent' });
      config.server.home = await siblingHome(server.storage);
      return createApp(config, { clock });
    };
    try {
      if (server.storage.dialect === 'sqlite') {
        await expect(sibling(clock.timeMs)).rejects.toMatchObject({ code: 'storage_in_use' });
        return;
      }
      const later = await sibling(clock.timeMs + 61_000);
      expect((await readinessOf(server)).instances).toHaveLength(1);
      await later.close();
      expect((await readinessOf(server)).instances).toHaveLength(0);
    } finally {
      await server.stop();
    }
  });

  it('announces only what all of them understand', async () => {
    const server = await startApp();
    const featuresOf = async ({ api }: InProcessApp) => {
      const answer = await api.post('/v1/runners/events', { events: [{ type: 'said', data: {} }] });
      return answer.headers['waystation-features'];
    };
    try {
      expect(await featuresOf(server)).toBe('history_base, questions');
      if (server.storage.dialect === 'sqlite') return;
      const older = `'older', 'host', 1, '0.0.1', 1, ${Date.now()}`;
      await changeStored(
        server.storage,
        `INSERT INTO instance(id, host, pid, version, started_at, last_seen) VALUES (${older})`,
      );
      const home = await siblingHome(server.storage);
      const start = () => ServerProcess.start(server.storage, { env: { WAYSTATION_HOME: home } });
      const newer = await start();
      const answer = await newer.api.post('/v1/runners/events', { events: [{ type: 'said', data: {} }] });
      expect([answer.status, answer.headers['waystation-features']]).toEqual([200, undefined]);
      await newer.stop();
    } finally {
      await server.stop();
    }
  });

  it('with another secret is kept away from a database that several may share', async () => {
    const server = await startApp();
    const { dialect, home, env } = server.storage;
    server.api.close();
    await server.app.close();
    writeFileSync(
      path.join(home, '.api-secret'),
      'another secret of enough length, but with blanks removed'.replaceAll(' ', '-'),
    );
    const restart = () => createApp(loadConfig({ ...env, WAYSTATION_LOG_LEVEL: 'silent' }));
    if (dialect === 'postgres') await expect(restart()).rejects.toBeInstanceOf(ConfigError);
    else await (await restart()).close();
    await server.storage.dispose();
  });
});
