import type { ApiResponse } from './api-request.js';

/** Writes, and waits if the reader is behind. Returns false if the reader has gone or wants no body: write nothing more. */
export function writePiece(response: ApiResponse, piece: string | Buffer): boolean | Promise<boolean> {
  if (response.destroyed) return false;
  if (response.req.method === 'HEAD') {
    response.end();
    return false;
  }
  if (response.write(piece)) return true;
  return new Promise((resolve) => {
    const onDrain = () => settle(true);
    const onClose = () => settle(false);
    const settle = (isThere: boolean) => {
      response.off('drain', onDrain);
      response.off('close', onClose);
      resolve(isThere);
    };
    response.once('drain', onDrain);
    response.once('close', onClose);
  });
}
