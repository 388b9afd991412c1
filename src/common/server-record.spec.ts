import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ApiAddress } from './api-address.js';
import { findServer, removeServerRecord, serverRecordFile, writeServerRecord } from './server-record.js';

const SERVER = {
  url: 'http://127.0.0.1:8001',
  public_url: 'https://waystation.example',
  version: '0.1.0',
  database: '/x/waystation.db',
  storage: 'x',
};

describe('The record of a running server', () => {
  let home: string;
  const file = () => serverRecordFile(home);
  const change = (members: object) =>
    writeFileSync(file(), JSON.stringify({ ...JSON.parse(readFileSync(file(), 'utf8')), ...members }));

  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), 'waystation-record-'));
    writeServerRecord(home, SERVER);
  });
  afterEach(() => rmSync(home, { recursive: true }));

  it('is for its owner alone, and gone after a stop', () => {
    expect(findServer(home)).toMatchObject({ ...SERVER, pid: process.pid });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    removeServerRecord(home);
    expect(findServer(home)).toBeNull();
  });

  it('means nothing when its process is gone, or is another program', () => {
    change({ pid: 999_999_999, process_start: null });
    expect(findServer(home)).toBeNull();
    change({ pid: process.ppid, process_start: 'of an earlier process' });
    expect(findServer(home)).toBeNull();
  });

  it('stays when it belongs to another server by now', () => {
    change({ pid: process.ppid, process_start: null });
    removeServerRecord(home);
    expect(findServer(home)).toMatchObject({ pid: process.ppid });
  });

  it.each(['', '{', 'null', '{"url": 1}', `{"url": "file:///etc", "pid": ${process.pid}, "started_at": ""}`])(
    'is ignored when it says %j',
    (content) => {
      writeFileSync(file(), content);
      expect(findServer(home)).toBeNull();
    },
  );

  it('replaces what a killed server left, even where that is a mess', () => {
    writeFileSync(file(), '{');
    writeServerRecord(home, SERVER);
    expect(findServer(home)).not.toBeNull();
  });
});

describe('The address of the API', () => {
  let home: string;

  beforeEach(() => {
    home = mkdtempSync(path.join(tmpdir(), 'waystation-address-'));
    mkdirSync(path.join(home, 'run'));
  });
  afterEach(() => rmSync(home, { recursive: true }));

  it('follows the server of a home, and stays while there is none', () => {
    const address = ApiAddress.ofHome(home);
    expect(address.current).toBe('http://127.0.0.1:8000');
    writeServerRecord(home, SERVER);
    expect(address.current).toBe('http://127.0.0.1:8000');
    address.lookAgain();
    expect(address.current).toBe(SERVER.url);
    removeServerRecord(home);
    address.lookAgain();
    expect(address.current).toBe(SERVER.url);
  });

  it('stays as it was given', () => {
    writeServerRecord(home, SERVER);
    const address = new ApiAddress('http://api.test/');
    address.lookAgain();
    expect(address.current).toBe('http://api.test');
  });
});
