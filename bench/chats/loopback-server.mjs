import { createServer } from 'node:http';

/**
 * @typedef {object} Call
 * @property {import('node:http').IncomingHttpHeaders} headers
 * @property {() => boolean} isGone whether the caller has stopped waiting
 */

/** A loopback server that receives and sends JSON. */
export class LoopbackServer {
  #server;

  /**
   * @param {(path: string, body: object, call: Call) => object | null | Promise<object | null>} handle returns `{status, body}`;
   *   null never to respond
   */
  constructor(handle) {
    this.#server = createServer((request, response) => {
      const chunks = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', async () => {
        const call = { headers: request.headers, isGone: () => response.destroyed };
        const answer = await handle(request.url, JSON.parse(Buffer.concat(chunks).toString() || '{}'), call);
        if (answer === null || response.destroyed) return;
        const text = JSON.stringify(answer.body);
        const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
        response.writeHead(answer.status, headers).end(text);
      });
    });
    this.#server.keepAliveTimeout = 60_000;
  }

  /** @returns {Promise<string>} its address */
  async listen() {
    await new Promise((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${this.#server.address().port}`;
  }

  async close() {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }
}
