import { createServer } from 'node:http';

/** A server on loopback that is told JSON and answers JSON. */
export class LoopbackServer {
  #server;

  /**
   * @param {(path: string, body: object, headers: import('node:http').IncomingHttpHeaders) => object | null} handle answers
   *   `{status, body}`; null for no answer, ever
   */
  constructor(handle) {
    this.#server = createServer((request, response) => {
      const chunks = [];
      request.on('data', (chunk) => chunks.push(chunk));
      request.on('end', () => {
        const answer = handle(request.url, JSON.parse(Buffer.concat(chunks).toString() || '{}'), request.headers);
        if (answer === null) return;
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
