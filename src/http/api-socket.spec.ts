import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { createLogger } from '../common/logger.js';
import { LogConfig } from '../config/log.config.js';
import { ApiSocket } from './api-socket.js';
import type { ApiHttpAdapter } from './api-http.adapter.js';

const logger = createLogger(Object.assign(new LogConfig(), { level: 'silent' }));
const ROUNDS = 15;
const SERVERS = 5;

const servers: Server[] = [];
const adapter = {
  async listenOnPath(file: string) {
    const server = createServer((socket) => socket.destroy()).listen(file);
    await once(server, 'listening');
    servers.push(server);
  },
} as ApiHttpAdapter;

function isAlive(file: string): Promise<boolean> {
  return new Promise((resolve) => {
    connect(file)
      .once('connect', () => resolve(true))
      .once('error', () => resolve(false));
  });
}

/** What kill -9 leaves: a socket without a listener. */
async function leaveStale(file: string): Promise<void> {
  const socket = await ApiSocket.open(adapter, file, logger);
  expect(socket).not.toBeNull();
  closeAll();
  expect(await isAlive(file)).toBe(false);
  expect(statSync(file).isSocket()).toBe(true);
}

function closeAll(): void {
  for (const server of servers.splice(0)) server.close();
}

describe('The socket of the API', () => {
  let folder: string;
  let file: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'waystation-socket-'));
    file = path.join(folder, 'run', 'api.sock');
  });
  afterEach(() => {
    closeAll();
    rmSync(folder, { recursive: true });
  });

  it('makes its home for its user alone', async () => {
    const home = path.join(folder, 'home');
    await ApiSocket.open(adapter, path.join(home, 'run', 'api.sock'), logger);
    expect(statSync(home).mode & 0o777).toBe(0o700);
  });

  it('may be used by whoever gets to it, in a folder that nobody else can list', async () => {
    await ApiSocket.open(adapter, file, logger);
    expect(statSync(file).mode & 0o777).toBe(0o666);
    expect(statSync(path.dirname(file)).mode & 0o777).toBe(0o711);
  });

  it('takes the place of one that a crash has left', async () => {
    await leaveStale(file);
    expect(await ApiSocket.open(adapter, file, logger)).not.toBeNull();
    expect(await isAlive(file)).toBe(true);
  });

  it('is left to the server that has it', async () => {
    const first = await ApiSocket.open(adapter, file, logger);
    const { ino } = statSync(file);
    expect(await ApiSocket.open(adapter, file, logger)).toBeNull();
    expect(statSync(file).ino).toBe(ino);
    first?.close();
    expect(readdirSync(path.dirname(file))).toEqual([]);
  });

  it('answers however many servers start at the same moment after a crash', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      await leaveStale(file);
      const opened = await Promise.all(Array.from({ length: SERVERS }, () => ApiSocket.open(adapter, file, logger)));
      expect(opened.filter((socket) => socket !== null).length).toBeGreaterThan(0);
      expect(await isAlive(file)).toBe(true);
      for (const socket of opened) socket?.close();
      closeAll();
      expect(readdirSync(path.dirname(file))).toEqual([]);
    }
  });

  it('is done without where its path is too long', async () => {
    const long = path.join(folder, 'x'.repeat(100), 'api.sock');
    expect(await ApiSocket.open(adapter, long, logger)).toBeNull();
    expect(readdirSync(folder)).toEqual([]);
  });
});
