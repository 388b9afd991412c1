import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ApiConnection } from '../../../client/api-connection.js';
import type { Logger } from '../../../common/logger.js';
import { FileCopies } from './file-copies.js';
import { FileUploads } from './file-uploads.js';

/** No clock differs by more. */
const TOLERANCE_MS = 10_000;
const BROKEN = new TypeError('fetch failed');

let home: string;
let warnings: string[];

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'uploads-'));
  warnings = [];
});
afterEach(() => rmSync(home, { recursive: true }));

/** Uploads of one file, and a batch with its event. @param longestMs that an upload may take */
async function uploadsOf(send: () => Promise<unknown>, longestMs = TOLERANCE_MS + 60_000) {
  const copies = new FileCopies(path.join(home, 'attachments'));
  writeFileSync(path.join(home, 'a'), 'chart');
  const { digest } = await copies.take(home, 'a');
  const connection = { url: 'http://127.0.0.1:1', send } as unknown as ApiConnection;
  const logger = { warn: (_: object, words: string) => void warnings.push(words) } as unknown as Logger;
  const uploads = new FileUploads(connection, copies, logger, longestMs);
  const text = JSON.stringify({ type: 'attachment', data: { thread_id: 't', digest } });
  return () => uploads.send([{ key: 1, text }], new AbortController().signal);
}

const breaksOff = () => Promise.reject(BROKEN);

describe('A file whose upload breaks off', () => {
  it('is sent again, as the API may be away', async () => {
    const sending = await uploadsOf(breaksOff);
    await expect(sending()).rejects.toThrow(BROKEN);
    expect(warnings).toEqual([]);
  });

  it('is given up where it had all the time that there is: the events behind it go on', async () => {
    const sending = await uploadsOf(breaksOff, TOLERANCE_MS);
    expect(await sending()).toBeNull();
    expect(warnings).toEqual(['a file does not arrive at the server in time, and is given up']);
  });
});

describe('A file whose events are sent again', () => {
  it.each([
    [201, '{}'],
    [409, '{"code":"thread_has_no_chat"}'],
  ])('is not sent again where the API has said %i', async (status, text) => {
    let count = 0;
    const sending = await uploadsOf(() => Promise.resolve({ status, text, count: ++count }));
    expect([await sending(), await sending(), count]).toEqual([null, null, 1]);
  });

  it('is sent again where the API could not take it', async () => {
    let count = 0;
    const sending = await uploadsOf(() => Promise.resolve({ status: 503, text: '{}', count: ++count }));
    expect(await sending()).toMatchObject({ reason: 'http://127.0.0.1:1 answers with status 503' });
    await sending();
    expect(count).toBe(2);
  });
});
