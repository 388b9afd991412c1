import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { objectOf, textIn } from '../common/json-fields.js';
import { parsedJson } from '../common/parsed-json.js';
import type { ApiConnection } from './api-connection.js';
import { ApiRefusalError } from './latest-reader.js';
import type { PatientRequests } from './patient-requests.js';

/** What people are told of a file. */
export interface AttachOptions {
  /** Default: of the file's path. */
  name?: string;
  /** Such as `image/png`. Default: by the name. */
  mediaType?: string;
  /** Text with the file, in Markdown. Chats show 1,024 characters. */
  caption?: string;
  signal?: AbortSignal;
}

/** A file that the server has, as the event says it. */
export interface AttachedFile {
  digest: string;
  size_bytes: number;
  name: string;
  media_type?: string;
  caption?: string;
}

const TIMEOUT_MS = 30_000;
/** Of a connection on which uploads still succeed. */
const BYTES_A_MS = 50;
/** The event goes without the bytes: a run without a chat has nobody to show them to, and the server tells people of a file that it could not keep. */
const GOES_ALONE = new Set(['thread_has_no_chat', 'attachments_full']);

/** Sends files of programs up for the chats that their runs answer. */
export class FileAttacher {
  constructor(
    private readonly connection: ApiConnection,
    private readonly requests: PatientRequests,
  ) {}

  /**
   * Stores a file at the server; while that is down it waits.
   * @param file its path, or its bytes
   * @throws what reading the file does; ApiRefusalError, such as 413 for more than 50 MiB; the reason of the signal
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
