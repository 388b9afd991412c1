import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiConnection, ApiRequestOptions } from '../../../client/api-connection.js';
import type { Logger } from '../../../common/logger.js';
import { FileCopies } from './file-copies.js';
import { FileUploads } from './file-uploads.js';

/** The largest tolerated clock difference. */
const TOLERANCE_MS = 10_000;
const LONGEST_MS = TOLERANCE_MS + 60_000;
const BROKEN = new TypeError('fetch failed');

let home: string;
let warnings: string[];

beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'uploads-'));
  warnings = [];
});
afterEach(() => rmSync(home, { recursive: true }));

type Sent = (route: string, options: ApiRequestOptions) => Promise<unknown>;

interface UploadLimits {
  /** The time limit of an upload. */
  longestMs?: number;
  /** The time limit for a piece. */
  idleMs?: number;
  /** The file's size. */
  bytes?: number;
}

/** Uploads of one file, and a batch with its event. */
async function uploadsOf(
  send: Sent,
  { longestMs = LONGEST_MS, idleMs = 60_000, bytes = 5 }: UploadLimits = {},
): Promise<() => Promise<unknown>> {
  const copies = new FileCopies(path.join(home, 'attachments'));
  writeFileSync(path.join(home, 'a'), Buffer.alloc(bytes, 'chart'));
  const { digest } = await copies.take(home, 'a');
  const connection = { url: 'http://127.0.0.1:1', send } as unknown as ApiConnection;
  const logger = { warn: (_: object, words: string) => void warnings.push(words) } as unknown as Logger;
  const uploads = new FileUploads(connection, copies, logger, longestMs, idleMs);
  const text = JSON.stringify({ type: 'attachment', data: { thread_id: 't', digest } });
  return () => uploads.send([{ key: 1, text }], new AbortController().signal);
}

const breaksOff = () => Promise.reject(BROKEN);

/** An API that accepts this many pieces, with a pause before each, and then responds; if there are more, it never responds. */
function takes(pieces: number, pauseMs: number): Sent {
  return async (_route, { body, signal }) => {
    const cut = new Promise<never>((_, reject) => {
      signal!.addEventListener('abort', () => reject(signal!.reason as Error));
    });
    const reader = (body as ReadableStream<Uint8Array>).getReader();
    for (let taken = 0; ; taken++) {
      if (taken === pieces) return cut;
      await Promise.race([pause(pauseMs), cut]);
      if ((await reader.read()).done) return { status: 201, text: '{}' };
    }
  };
}

describe('A file whose upload breaks off', () => {
  it('is sent again, as the API may be away', async () => {
    const sending = await uploadsOf(breaksOff);
    await expect(sending()).rejects.toThrow(BROKEN);
    expect(warnings).toEqual([]);
  });

  it('is given up where it had all the time that there is: the events behind it go on', async () => {
    const sending = await uploadsOf(breaksOff, { longestMs: TOLERANCE_MS });
    expect(await sending()).toBeNull();
    expect(warnings).toEqual(['a file does not arrive at the server in time, and is given up']);
  });
});

describe('A slow upload', () => {
  it('has all the time that there is while something moves', async () => {
    const limits: unknown[] = [];
    const send: Sent = (route, options) => {
      limits.push(options.timeoutMs);
      return takes(Infinity, 150)(route, options);
    };
    const sending = await uploadsOf(send, { bytes: 1024 * 1024, idleMs: 1_500 });
    expect([await sending(), limits, warnings]).toEqual([null, [LONGEST_MS], []]);
  });

  it('ends where nothing moves, and is repeated', async () => {
    const sending = await uploadsOf(takes(2, 1), { bytes: 1024 * 1024, idleMs: 200 });
    await expect(sending()).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(warnings).toEqual([]);
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
