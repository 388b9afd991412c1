import type { IncomingMessage, ServerResponse } from 'node:http';
import { DomainError } from '../../common/domain-error.js';
import { invalidToken } from '../../common/invalid-token.js';
import { ClientGone, invalidBody } from './body.errors.js';
import { DISCARD_LIMIT_BYTES } from './collect-body.js';
import { checkContentCoding, newDecoder } from './content-coding.js';

/** Milliseconds for which the caller's token need not be looked up again. */
const TRUST_MS = 1000;
const NEW_LINE = 0x0a;

/**
 * The bytes of a body of any length, decompressed, as they arrive, with back-pressure.
 * @param isAdmitted whether the caller is still admitted, looked up at most `trustMs` ago
 * @throws DomainError `unsupported_media`, `invalid`, `unauthenticated` when the token ends meanwhile; ClientGone
 */
export async function* bodyBytes(
  request: IncomingMessage,
  response: ServerResponse,
  isAdmitted: (trustMs: number) => Promise<boolean>,
): AsyncGenerator<Buffer> {
  const coding = checkContentCoding(request.headers['content-encoding']);
  if (request.headers.expect !== undefined) response.writeContinue();
  try {
    for await (const chunk of decoded(request, coding)) {
      if (!(await isAdmitted(TRUST_MS))) throw invalidToken();
      yield chunk;
    }
    if (!(await isAdmitted(0))) throw invalidToken();
  } finally {
    discardRest(request);
  }
}

/**
 * The lines of these bytes, without line ends. Memory holds one line.
 * @throws DomainError `too_large` for a longer line
 */
export async function* linesOf(bytes: AsyncIterable<Buffer>, maxLineBytes: number): AsyncGenerator<Buffer> {
  const line = new Line(maxLineBytes);
  for await (const chunk of bytes) {
    let from = 0;
    for (let end = chunk.indexOf(NEW_LINE); end >= 0; end = chunk.indexOf(NEW_LINE, from)) {
      line.add(chunk.subarray(from, end));
      yield line.take();
      from = end + 1;
    }
    line.add(chunk.subarray(from));
  }
  if (line.sizeBytes > 0) yield line.take();
}

class Line {
  sizeBytes = 0;
  private number = 1;
  private parts: Buffer[] = [];

  constructor(private readonly maxBytes: number) {}

  add(part: Buffer): void {
    this.sizeBytes += part.length;
    if (part.length > 0) this.parts.push(part);
    if (this.sizeBytes <= this.maxBytes) return;
    throw new DomainError('too_large', 'line_too_large', `Line ${this.number} is larger than ${this.maxBytes} bytes.`);
  }

  take(): Buffer {
    const line = this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts, this.sizeBytes);
    [this.parts, this.sizeBytes] = [[], 0];
    this.number += 1;
    return line;
  }
}

async function* decoded(request: IncomingMessage, coding: string): AsyncGenerator<Buffer> {
  const decoder = coding === 'identity' ? null : newDecoder(coding);
  const source = decoder ? request.pipe(decoder) : request;
  // A pipe does not propagate an early end of its source.
  const onClose = () => void (request.complete || decoder?.destroy(new ClientGone()));
  request.once('close', onClose);
  try {
    // The connection must stay open for the response, even if the reader stops early.
    yield* source.iterator({ destroyOnReturn: decoder !== null }) as AsyncIterable<Buffer>;
  } catch (error) {
    if (error instanceof ClientGone || (!request.complete && request.destroyed)) throw new ClientGone();
    if (!decoder) throw error;
    throw invalidBody('invalid_content_encoding', `The body is not valid ${coding}.`);
  } finally {
    request.off('close', onClose);
    if (decoder) request.unpipe(decoder);
  }
}

/** Discards up to `DISCARD_LIMIT_BYTES`, so that a refused client can read the response; then cuts the connection. */
function discardRest(request: IncomingMessage): void {
  if (request.readableEnded || request.destroyed) return;
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DISCARD_LIMIT_BYTES) request.destroy();
  });
  request.resume();
}
