import type { ApiRequest, ApiResponse } from '../../../http/api-request.js';
import { writePiece } from '../../../http/send-json.js';
import { TokenRecheck } from '../../../http/token-recheck.js';
import { leave } from '../platforms/platform-file.js';
import type { FileTransfer } from './attachments.service.js';

/** Milliseconds without a byte from the platform or the agent, or without one that the agent takes. */
const IDLE_MS = 30_000;
const TOTAL_MS = 10 * 60_000;
const RECHECK_MS = 1_000;

/** Types that no program runs; all others are said to be only bytes. */
const SHOWN = /^(?:image\/(?!svg)[\w.+-]+|audio\/[\w.+-]+|video\/[\w.+-]+|application\/pdf|text\/plain)(?=\s*(?:;|$))/i;

/**
 * Responds with the whole file, as an attachment that no browser shows. Cuts the connection where the file is longer than it was said to be
 * or ends too early, where nothing moves, and once the token of the caller counts no more.
 */
export async function sendFile(request: ApiRequest, response: ApiResponse, file: FileTransfer): Promise<void> {
  writeHeaders(response, file);
  if (request.method === 'HEAD') return leave(file.bytes).then(() => void response.end());
  const cut = () => response.destroy();
  const [idle, total] = [setTimeout(cut, IDLE_MS), setTimeout(cut, TOTAL_MS)];
  const recheck = new TokenRecheck(request.isStillAdmitted);
  const checks = setInterval(() => void recheck.holds(0).then((holds) => holds || cut(), cut), RECHECK_MS);
  try {
    if (await pump(response, file, () => idle.refresh())) response.end();
    else cut();
  } catch {
    // What broke may hold the address, and so the token; the agent sees that bytes are missing.
    cut();
  } finally {
    clearTimeout(idle);
    clearTimeout(total);
    clearInterval(checks);
  }
}

/** A file as it arrives. The connection is cut where nothing moves for long. */
export function receiveFile(
  request: ApiRequest,
  bytes: AsyncGenerator<Buffer>,
): { sizeBytes: number | null; bytes: AsyncGenerator<Buffer> } {
  const length = request.headers['content-length'];
  const isCoded = (request.headers['content-encoding'] ?? 'identity') !== 'identity';
  return { sizeBytes: length === undefined || isCoded ? null : Number(length), bytes: inTime(request, bytes) };
}

async function* inTime(request: ApiRequest, bytes: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const cut = () => request.destroy();
  const [idle, total] = [setTimeout(cut, IDLE_MS), setTimeout(cut, TOTAL_MS)];
  try {
    for await (const chunk of bytes) {
      idle.refresh();
      yield chunk;
    }
  } finally {
    clearTimeout(idle);
    clearTimeout(total);
  }
}

/** @returns whether the file is whole */
async function pump(response: ApiResponse, file: FileTransfer, onMove: () => void): Promise<boolean> {
  const limit = file.sizeBytes ?? file.maxBytes;
  let length = 0;
  for await (const piece of file.bytes) {
    length += piece.length;
    onMove();
    if (length > limit || !(await writePiece(response, Buffer.from(piece.buffer, piece.byteOffset, piece.length)))) {
      return false;
    }
    onMove();
  }
  return file.sizeBytes === null || length === file.sizeBytes;
}

function writeHeaders(response: ApiResponse, { mediaType, sizeBytes, name }: FileTransfer): void {
  response.setHeader('Content-Type', SHOWN.exec(mediaType ?? '')?.[0].toLowerCase() ?? 'application/octet-stream');
  response.setHeader('Content-Disposition', dispositionOf(name));
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Cache-Control', 'no-store, no-transform');
  response.setHeader('Accept-Ranges', 'none');
  if (sizeBytes !== null) response.setHeader('Content-Length', sizeBytes);
}

/** RFC 6266: a name of ASCII for old programs, and the whole name. */
function dispositionOf(name: string | null): string {
  if (name === null) return 'attachment';
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const whole = encodeURIComponent(name).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}
