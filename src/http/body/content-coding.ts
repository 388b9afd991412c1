import type { Transform } from 'node:stream';
import zlib from 'node:zlib';
import { DomainError } from '../../common/domain-error.js';
import type { BodyShare } from './body-budget.js';
import { bodyTooLarge, invalidBody, overloaded, unsupportedMedia } from './body.errors.js';
import { joinInSlices } from './collect-body.js';

/** Bytes decompressed at a time. */
const CHUNK_BYTES = 64 * 1024;

/** The supported codings of https://www.iana.org/assignments/http-parameters. */
const SUPPORTED = ['identity', 'gzip', 'x-gzip', 'deflate', 'br'];

/**
 * Refuses unsupported codings before the body is read.
 * @throws DomainError `unsupported_media`
 */
export function checkContentCoding(header: string | undefined): string {
  const coding = header?.trim().toLowerCase() || 'identity';
  if (SUPPORTED.includes(coding)) return coding;
  throw unsupportedMedia(
    'unsupported_content_encoding',
    'Content-Encoding must be one of gzip, deflate, br, identity.',
  );
}

/**
 * Decodes up to `limitBytes`, so that a small body cannot become a large one.
 * @param share counts the output; the input is released afterwards
 * @throws DomainError `too_large`; `unavailable` without room; `invalid` if the bytes do not have that coding
 */
export async function decodeContent(
  coding: string,
  body: Buffer,
  limitBytes: number,
  share: BodyShare,
): Promise<Buffer> {
  // RFC 9110 defines "deflate" as the zlib format, but some clients send raw deflate; the first byte shows which.
  const isBare = coding === 'deflate' && ((body[0] ?? 0) & 0x0f) !== 8;
  const decoder = isBare ? zlib.createInflateRaw({ chunkSize: CHUNK_BYTES }) : newDecoder(coding);
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  decoder.end(body);
  try {
    for await (const chunk of decoder as AsyncIterable<Buffer>) {
      sizeBytes += chunk.length;
      if (sizeBytes > limitBytes) throw bodyTooLarge(limitBytes);
      if (!share.take(chunk.length)) throw overloaded();
      chunks.push(chunk);
    }
  } catch (error) {
    if (error instanceof DomainError) throw error;
    throw invalidBody('invalid_content_encoding', `The body is not valid ${coding}.`);
  }
  share.give(body.length);
  return joinInSlices(chunks, sizeBytes);
}

/** The decoder of a supported coding other than `identity`. */
export function newDecoder(coding: string): Transform {
  const options = { chunkSize: CHUNK_BYTES };
  if (coding === 'br') return zlib.createBrotliDecompress(options);
  return coding === 'deflate' ? zlib.createInflate(options) : zlib.createGunzip(options);
}
