import http from 'node:http';

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {http.IncomingHttpHeaders} headers
 * @property {Buffer} bytes
 * @property {number} ms      from sending to the end of the response
 */

export const EVENTS = '/v1/runners/events';

/** A plain HTTP client of one server or proxy: no retries, no redirects. */
export class Client {
  #agent;

  /** @param {{port: number, token: string}} server @param {{connections?: number}} [options] */
  constructor({ port, token }, { connections = 64 } = {}) {
    this.port = port;
    this.token = token;
    this.#agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  }

  /** @param {string} path @param {{headers?: Record<string, string>, timeoutMs?: number}} [options] @returns {Promise<Answer>} */
  get(path, options) {
    return this.send('GET', path, null, options);
  }

  /** @param {string} path @param {string | Buffer | object} body objects as JSON @returns {Promise<Answer>} */
  post(path, body = {}, options = {}) {
    const isRaw = typeof body === 'string' || Buffer.isBuffer(body);
    return this.send('POST', path, isRaw ? body : JSON.stringify(body), options);
  }

  /** @param {readonly (string | object)[]} events JSON texts or objects, which must all be saved */
  async record(...events) {
    const answer = await this.post(EVENTS, batchOf(events));
    if (answer.status !== 200)
      throw new Error(`not recorded: ${answer.status} ${answer.bytes.toString().slice(0, 300)}`);
  }

  /** @returns {Promise<any>} the JSON of a 200 @throws {Error} for any other response */
  async json(path) {
    const { status, bytes } = await this.get(path);
    if (status !== 200) throw new Error(`GET ${path}: ${status} ${bytes.toString().slice(0, 300)}`);
    return JSON.parse(bytes.toString());
  }

  /** @returns {Promise<Answer>} @throws {Error} when the connection fails or `timeoutMs` pass */
  send(method, path, body, { headers = {}, timeoutMs = 90_000 } = {}) {
    const begun = performance.now();
    return new Promise((resolve, reject) => {
      const request = http.request(this.#requestOptions(method, path, body, headers));
      request.setTimeout(timeoutMs, () => request.destroy(new Error(`no answer within ${timeoutMs} ms`)));
      request.once('error', reject);
      request.once('response', (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const { statusCode: status } = response;
          resolve({ status, headers: response.headers, bytes: Buffer.concat(chunks), ms: performance.now() - begun });
        });
      });
      request.end(body ?? undefined);
    });
  }

  close() {
    this.#agent.destroy();
  }

  #requestOptions(method, path, body, headers) {
    const own = body === null ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    return {
      ...{ host: '127.0.0.1', port: this.port, method, path, agent: this.#agent },
      headers: { authorization: `Bearer ${this.token}`, ...own, ...headers },
    };
  }
}

/** @param {readonly (string | object)[]} events @returns {string} */
export function batchOf(events) {
  return `{"events":[${events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event))).join(',')}]}`;
}

/** Whether a client should retry: the storage or the server is temporarily away, and says so. @param {Answer} answer */
export function isRetryable({ status, headers }) {
  return (status === 503 || status === 507) && Number(headers['retry-after']) >= 1;
}
