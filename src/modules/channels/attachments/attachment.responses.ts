import type { ApiRequest, ApiResponse } from '../../../http/api-request.js';
import { writePiece } from '../../../http/send-json.js';
import { TokenRecheck } from '../../../http/token-recheck.js';
import { leave } from '../platforms/platform-file.js';
import type { FileTransfer } from './attachments.service.js';

/** Milliseconds without a byte from the platform or the agent, or without one accepted by the agent. */
const IDLE_MS = 30_000;
const TOTAL_MS = 10 * 60_000;
const RECHECK_MS = 1_000;

/** Types that no program executes; all others are sent as plain bytes. */
const SHOWN = /^(?:image\/(?!svg)[\w.+-]+|audio\/[\w.+-]+|video\/[\w.+-]+|application\/pdf|text\/plain)(?=\s*(?:;|$))/i;

/**
 * Responds with the whole file, as an attachment that browsers do not display. Cuts the connection if the file is longer than announced or
 * ends too early, if it stalls, or once the caller's token is no longer valid.
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
    // The error may contain the URL, and so the token; the agent sees that bytes are missing.
    cut();
  } finally {
    clearTimeout(idle);
    clearTimeout(total);
    clearInterval(checks);
  }
}

/** A file as it arrives. Cuts the connection if it stalls. */
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

/** @returns whether the file is complete */
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

/** RFC 6266: an ASCII name for old programs, and the full name. */
function dispositionOf(name: string | null): string {
  if (name === null) return 'attachment';
  const plain = name.replaceAll(/[^\x20-\x7e]|["\\%]/g, '_');
  const whole = encodeURIComponent(name).replaceAll(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16)}`);
  return `attachment; filename="${plain}"; filename*=UTF-8''${whole}`;
}
