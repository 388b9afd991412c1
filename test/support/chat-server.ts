import { Clock } from '../../src/common/clock.js';
import { Database } from '../../src/database/database.js';
import { startApp, type InProcessApp } from './in-process-app.js';
import { TelegramWorld } from './telegram-world.js';

/** A server inside the tests of a file or a `describe`, connected to a bot on the fake Telegram and to an agent. */
export interface ChatServer {
  readonly world: TelegramWorld;
  readonly server: InProcessApp;
}

/** @param config of the channel @param env of the server */
export function useChatServer(
  clock?: Clock,
  config: Record<string, unknown> = {},
  env: Record<string, string> = {},
): ChatServer {
  let world: TelegramWorld;
  let server: InProcessApp;
  beforeAll(async () => {
    world = await TelegramWorld.start();
    server = await startApp({ env: { ...world.env, ...env }, clock });
    await world.connect(server.api, config);
  });
  afterAll(async () => {
    await server?.stop();
    await world?.close();
  });
  return {
    get world() {
      return world;
    },
    get server() {
      return server;
    },
  };
}

/** Whether a session or chat was handled and now waits for its next due time. */
export async function isWaiting(
  { app }: InProcessApp,
  table: 'channel_session' | 'channel_chat',
  clock = new Clock(),
): Promise<boolean> {
  const sql = `SELECT 1 AS waiting FROM ${table} WHERE lease_owner IS NULL AND work_at > $1`;
  return (await app.get(Database).read(sql, [clock.nowMs()])).length > 0;
}
