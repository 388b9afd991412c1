import type { FileHandle } from 'node:fs/promises';
import { API_BACKOFF, type ApiConnection, type ApiResponse } from '../../../client/api-connection.js';
import type { SendingObstacle } from '../../../client/delivery.js';
import type { SpooledText } from '../../../client/spool.js';
import { ATTACHMENT } from '../../../common/contract/event-types.js';
import { errorCode } from '../../../common/error-code.js';
import { joinAborts } from '../../../common/joined-abort.js';
import { objectIn, objectOf, textIn } from '../../../common/json-fields.js';
import type { Logger } from '../../../common/logger.js';
import { parsedJson } from '../../../common/parsed-json.js';
import type { FileCopies } from './file-copies.js';

/** How the text of each event with a file begins; see `EventStamper`. */
export const ATTACHMENT_PREFIX = `{"type":"${ATTACHMENT}",`;
/** Statuses after which a retry may succeed. */
const PASSING = new Set([401, 408, 429]);
const PIECE_BYTES = 64 * 1024;
/** The time for the API to accept a piece, or to respond after the last one; beyond it, the API counts as away. */
const IDLE_MS = 60_000;
/** The API's time limit for an upload. */
const LONGEST_MS = 10 * 60_000;
/** How long a file is not sent again for repeated events: the server keeps it much longer. */
const KNOWN_MS = 10 * 60_000;
/** How far the API's clock, or its start of an upload, may differ from ours. */
const TOLERANCE_MS = 10_000;

interface NamedFile {
  threadId: string;
  digest: string;
}

/** Uploads events' files to the API before the events are sent. */
export class FileUploads {
  /** Files that the API has accepted, or cannot use because the thread has no chat, and when it said so. */
  private readonly settled = new Map<string, number>();

  constructor(
    private readonly connection: ApiConnection,
    private readonly copies: FileCopies,
    private readonly logger: Logger,
    private readonly longestMs = LONGEST_MS,
    private readonly idleMs = IDLE_MS,
  ) {}

  /**
   * A file that the API refuses, or that does not arrive within its time limit, does not hold up events.
   * @returns why the events must wait; null if they may be sent
   * @throws as `fetch` if the API is away
   */
  async send(batch: readonly SpooledText[], signal: AbortSignal): Promise<SendingObstacle | null> {
    const sinceMs = performance.now() - KNOWN_MS;
    for (const [key, atMs] of this.settled) if (atMs < sinceMs) this.settled.delete(key);
    for (const { text } of batch) {
      const file = fileIn(text);
      const obstacle = file && (await this.upload(file, signal));
      if (obstacle) return obstacle;
    }
    return null;
  }

  private async upload(file: NamedFile, signal: AbortSignal): Promise<SendingObstacle | null> {
    if (this.settled.has(keyOf(file))) return null;
    const source = await this.copies.open(file.digest).catch((error: unknown) => {
      if (errorCode(error) === 'ENOENT') return null; // uploaded before, but its event was not sent
      throw error;
    });
    if (source === null) return null;
    const begunMs = performance.now();
    try {
      return this.obstacleIn(await this.put(file, source, signal), file);
    } catch (error) {
      if (signal.aborted || performance.now() - begunMs < this.longestMs - TOLERANCE_MS) throw error;
      const { threadId: thread_id, digest } = file;
      this.logger.warn({ thread_id, digest }, 'a file does not arrive at the server in time, and is given up');
      return null;
    } finally {
      await source.close();
    }
  }

  /** Tolerates slow connections: the API counts as away only if nothing moves. */
  private async put({ threadId, digest }: NamedFile, source: FileHandle, signal: AbortSignal): Promise<ApiResponse> {
    const { size } = await source.stat();
    const bytes = source.createReadStream({ highWaterMark: PIECE_BYTES, autoClose: false, start: 0 });
    const stalled = new AbortController();
    const idle = setTimeout(() => stalled.abort(new DOMException('Nothing moves.', 'TimeoutError')), this.idleMs);
    const end = joinAborts(signal, stalled.signal);
    try {
      return await this.connection.send(`/v1/runners/threads/${encodeURIComponent(threadId)}/attachments/${digest}`, {
        method: 'PUT',
        body: ReadableStream.from(moving(bytes as AsyncIterable<Uint8Array>, () => idle.refresh())),
        headers: { 'content-type': 'application/octet-stream', 'content-length': String(size) },
        timeoutMs: this.longestMs,
        signal: end.signal,
      });
    } finally {
      clearTimeout(idle);
      end.release();
    }
  }

  private obstacleIn({ status, text }: ApiResponse, file: NamedFile): SendingObstacle | null {
    const code = textIn(objectOf(parsedJson(text)), 'code');
    if (status < 300 || code === 'thread_has_no_chat') {
      this.settled.set(keyOf(file), performance.now());
      return null;
    }
    if (PASSING.has(status) || (status >= 500 && status !== 507)) {
      const reason = `${this.connection.url} answers with status ${status}`;
      return { reason, retryAfterMs: status === 429 || status === 503 ? API_BACKOFF.longestMs : null };
    }
    const { threadId: thread_id, digest } = file;
    this.logger.warn({ thread_id, digest, status, code }, 'the server does not take a file');
    return null;
  }
}

async function* moving(bytes: AsyncIterable<Uint8Array>, onMove: () => void): AsyncGenerator<Uint8Array> {
  for await (const piece of bytes) {
    onMove();
    yield piece;
  }
  onMove();
}

function keyOf({ threadId, digest }: NamedFile): string {
  return `${digest} ${threadId}`;
}

/** The file of an attachment event; null for other events. */
export function fileIn(text: string): NamedFile | null {
  if (!text.startsWith(ATTACHMENT_PREFIX)) return null;
  const data = objectIn(objectOf(parsedJson(text)), 'data');
  const [threadId, digest] = [textIn(data, 'thread_id'), textIn(data, 'digest')];
  return threadId !== null && digest !== null && /^[0-9a-f]{64}$/.test(digest) ? { threadId, digest } : null;
}
