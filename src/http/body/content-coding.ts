import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { errorCode } from '../../common/error-code.js';
import { bodyTooLarge, invalidBody, unsupportedMedia } from './body.errors.js';

const gunzip = promisify(zlib.gunzip);
const inflate = promisify(zlib.inflate);
const inflateRaw = promisify(zlib.inflateRaw);
const brotliDecompress = promisify(zlib.brotliDecompress);

/** What this server can read of the codings in https://www.iana.org/assignments/http-parameters. */
const SUPPORTED = ['identity', 'gzip', 'x-gzip', 'deflate', 'br'];

/**
 * Refuses codings that cannot be read, before the body is.
 * @throws DomainError `unsupported_media`.
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
 * Undoes the coding and stops at `limitBytes`, so that a small body cannot become a large one.
 * @throws DomainError `too_large`, or `invalid` when the bytes are not of that coding.
 */
export async function decodeContent(coding: string, body: Buffer, limitBytes: number): Promise<Buffer> {
  if (body.length === 0) return body;
  try {
    return await decompress(coding, body, { maxOutputLength: limitBytes });
  } catch (error) {
    if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE') throw bodyTooLarge(limitBytes);
    throw invalidBody('invalid_content_encoding', `The body is not valid ${coding}.`);
  }
}

function decompress(coding: string, body: Buffer, options: { maxOutputLength: number }): Promise<Buffer> {
  if (coding === 'br') return brotliDecompress(body, options);
  if (coding !== 'deflate') return gunzip(body, options);
  // RFC 9110 means the zlib format by "deflate", but some clients send the bare one; its first byte tells.
  const isZlib = ((body[0] ?? 0) & 0x0f) === 8;
  return isZlib ? inflate(body, options) : inflateRaw(body, options);
}
