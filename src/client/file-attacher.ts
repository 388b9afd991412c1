import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { objectOf, textIn } from '../common/json-fields.js';
import { parsedJson } from '../common/parsed-json.js';
import type { ApiConnection } from './api-connection.js';
import { ApiRefusalError } from './latest-reader.js';
import type { PatientRequests } from './patient-requests.js';

/** Details of a file, shown to people. */
export interface AttachOptions {
  /** Default: the file name of the path, or `file`. */
  name?: string;
  /** Such as `image/png`. Default: derived from the name. */
  mediaType?: string;
  /** Text with the file, in Markdown. Chats show 1,024 characters. */
  caption?: string;
  signal?: AbortSignal;
}

/** A file stored at the server, as its event describes it. */
export interface AttachedFile {
  digest: string;
  size_bytes: number;
  name: string;
  media_type?: string;
  caption?: string;
}

const TIMEOUT_MS = 30_000;
/** The slowest connection on which uploads still succeed. */
const BYTES_A_MS = 50;
/**
 * The event then goes without the bytes: a run without a chat has nobody to show them to, and the server tells people of files not kept.
 */
const GOES_ALONE = new Set(['thread_has_no_chat', 'attachments_full']);

/** Uploads files for the chats that runs answer. */
export class FileAttacher {
  constructor(
    private readonly connection: ApiConnection,
    private readonly requests: PatientRequests,
  ) {}

  /**
   * Stores a file at the server; waits while the server is away.
   * @param file its path, or its bytes
   * @throws whatever reading the file throws; ApiRefusalError, such as 413 for more than 50 MiB; the reason of the signal
   */
  async store(
    threadId: string,
    file: string | Uint8Array,
    { name, mediaType, caption, signal }: AttachOptions,
  ): Promise<AttachedFile> {
    const bytes = typeof file === 'string' ? await readFile(file) : file;
    const digest = createHash('sha256').update(bytes).digest('hex');
    await this.requests.untilResponse(signal, (both) => this.put(threadId, digest, bytes, both));
    const named = name ?? (typeof file === 'string' ? path.basename(file) : 'file');
    return {
      ...{ digest, size_bytes: bytes.length, name: named },
      ...(mediaType === undefined ? {} : { media_type: mediaType }),
      ...(caption === undefined ? {} : { caption }),
    };
  }

  private async put(threadId: string, digest: string, body: Uint8Array, signal: AbortSignal): Promise<void> {
    const route = `/v1/runners/threads/${encodeURIComponent(threadId)}/attachments/${digest}`;
    const headers = { 'content-type': 'application/octet-stream' };
    const timeoutMs = TIMEOUT_MS + Math.ceil(body.length / BYTES_A_MS);
    const { status, text } = await this.connection.send(route, { method: 'PUT', body, headers, timeoutMs, signal });
    const problem = objectOf(parsedJson(text));
    if (status < 300 || GOES_ALONE.has(textIn(problem, 'code') ?? '')) return;
    throw new ApiRefusalError(status, `the file was refused: ${textIn(problem, 'detail') ?? `status ${status}`}`);
  }
}
