import { jest } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createLogger } from '../common/logger.js';
import { findServer, serverRecordFile, writeServerRecord } from '../common/server-record.js';
import { ServerAnnouncement } from './server-announcement.js';

const SERVER = { url: 'http://127.0.0.1:8001', public_url: null, version: '0.1.0', database: null, storage: 'own' };

describe('A server that finds another one in its home', () => {
  let home: string;

  beforeEach(() => {
    jest.useFakeTimers();
    home = mkdtempSync(path.join(tmpdir(), 'waystation-announcement-'));
  });
  afterEach(() => {
    jest.useRealTimers();
    rmSync(home, { recursive: true });
  });

  it.each([
    ['takes its place when it has gone', 'own', SERVER.url],
    ['leaves its place free if that has another storage', 'other', undefined],
  ])('%s', async (_what, storage, expected) => {
    writeServerRecord(home, { ...SERVER, url: 'http://127.0.0.1:8000', storage });
    const announcement = new ServerAnnouncement(home, SERVER, createLogger({ level: 'fatal', isPretty: false }));
    announcement.start();
    expect(findServer(home)?.url).toBe('http://127.0.0.1:8000');
    rmSync(serverRecordFile(home));
    await jest.advanceTimersByTimeAsync(10_000);
    expect(findServer(home)?.url).toBe(expected);
    await announcement.stop();
  });

  it('comes back to its own place when its record is lost', async () => {
    const announcement = new ServerAnnouncement(home, SERVER, createLogger({ level: 'fatal', isPretty: false }));
    announcement.start();
    writeFileSync(serverRecordFile(home), '');
    await jest.advanceTimersByTimeAsync(10_000);
    expect(findServer(home)?.url).toBe(SERVER.url);
    await announcement.stop();
    expect(findServer(home)).toBeNull();
  });
});
