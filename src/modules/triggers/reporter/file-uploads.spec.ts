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

/** @param longestMs that an upload may take */
async function sending(longestMs: number): Promise<unknown> {
  const copies = new FileCopies(path.join(home, 'attachments'));
  writeFileSync(path.join(home, 'a'), 'chart');
  const { digest } = await copies.take(home, 'a');
  const connection = { url: 'http://127.0.0.1:1', send: () => Promise.reject(BROKEN) } as unknown as ApiConnection;
  const logger = { warn: (_: object, words: string) => void warnings.push(words) } as unknown as Logger;
  const uploads = new FileUploads(connection, copies, logger, longestMs);
  const text = JSON.stringify({ type: 'attachment', data: { thread_id: 't', digest } });
  return uploads.send([{ key: 1, text }], new AbortController().signal);
}

describe('A file whose upload breaks off', () => {
  it('is sent again, as the API may be away', async () => {
    await expect(sending(TOLERANCE_MS + 60_000)).rejects.toThrow(BROKEN);
    expect(warnings).toEqual([]);
  });

  it('is given up where it had all the time that there is: the events behind it go on', async () => {
    expect(await sending(TOLERANCE_MS)).toBeNull();
    expect(warnings).toEqual(['a file does not arrive at the server in time, and is given up']);
  });
});
