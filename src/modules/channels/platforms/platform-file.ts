import { PlatformError } from './channel-adapter.js';
import type { PlatformLink, PlatformCalls } from './platform-calls.js';

/** A platform's file whose bytes are arriving. */
export interface OpenedFile {
  /** From the platform's metadata; null if it does not say. */
  mediaType: string | null;
  sizeBytes: number | null;
  /** From the response itself. */
  answeredType: string | null;
  /** Leaving the loop closes the connection. */
  bytes: AsyncIterable<Uint8Array>;
}

/** Why a file's bytes never arrive. */
export type FileFault = 'gone' | 'too_large';

/** The platform no longer has the file, or gives it to nobody. */
export class FileUnavailable extends PlatformError {
  constructor(
    readonly fault: FileFault,
    message: string,
  ) {
    super(message, true);
    this.name = 'FileUnavailable';
  }
}

/** Where Meta and Slack host files. */
const FILE_HOSTS = /(^|\.)(fbsbx|slack)\.com$/;

/**
 * The URL of a file link from a platform: at its API's origin, or by https at its file hosts. The request carries the token.
 * @throws PlatformError for any other
 */
export function fileUrl(link: string, apiUrl: string): URL {
  const url = URL.canParse(link) ? new URL(link) : null;
  const isPlain = url !== null && url.username === '' && url.password === '';
  const isOwn = isPlain && url.origin === new URL(apiUrl).origin;
  const isKnown = isPlain && url.protocol === 'https:' && url.port === '' && FILE_HOSTS.test(url.hostname);
  if (isOwn || isKnown) return url;
  throw new PlatformError("the platform's link to the file leads elsewhere", true);
}

/**
 * The bytes behind a link.
 * @param expected the file's metadata
 * @throws FileUnavailable, PlatformError
 */
export async function openLink(
  calls: PlatformCalls,
  link: PlatformLink,
  expected: Pick<OpenedFile, 'mediaType' | 'sizeBytes'>,
  signal: AbortSignal,
): Promise<OpenedFile> {
  const { status, mediaType, sizeBytes, bytes, retryAfterMs } = await calls.open(link, signal);
  if (status !== 200) {
    await leave(bytes);
    if (status === 404 || status === 410) throw new FileUnavailable('gone', 'the platform has the file no more');
    throw new PlatformError(`the platform answered with status ${status} instead of the file`, true, retryAfterMs);
  }
  return {
    mediaType: expected.mediaType ?? mediaType,
    sizeBytes: sizeBytes ?? expected.sizeBytes,
    answeredType: mediaType,
    bytes,
  };
}

/** Closes the connection. */
export async function leave(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  await bytes[Symbol.asyncIterator]()
    .return?.()
    .catch(() => undefined);
}
