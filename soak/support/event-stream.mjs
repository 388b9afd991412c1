import http from 'node:http';
import { until } from './until.mjs';

/** A reader of server-sent events that records them. */
export class EventStream {
  /** @type {{id: string | null, event: string, data: object}[]} */
  seen = [];
  isEnded = false;
  #request;
  #rest = '';

  /** @param {import('./client.mjs').Client} client @param {string} path @param {string} [lastEventId] @returns {Promise<EventStream>} */
  static open(client, path, lastEventId) {
    const stream = new EventStream();
    const headers = {
      authorization: `Bearer ${client.token}`,
      accept: 'text/event-stream',
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    };
    return new Promise((resolve, reject) => {
      const request = http.get({ host: '127.0.0.1', port: client.port, path, headers, agent: false });
      stream.#request = request;
      request.once('error', reject);
      request.once('response', (response) => {
        if (response.statusCode !== 200) return reject(new Error(`stream: ${response.statusCode}`));
        request.on('error', () => undefined);
        stream.#read(response);
        return resolve(stream);
      });
    });
  }

  ofType(event) {
    return this.seen.filter((one) => one.event === event);
  }

  /** @param {string} what @param {(stream: EventStream) => boolean} isEnough @param {number} [limitMs] */
  until(what, isEnough, limitMs) {
    return until(`the stream to bring ${what}`, () => isEnough(this), limitMs);
  }

  close() {
    this.#request.destroy();
  }

  #read(response) {
    response.setEncoding('utf8');
    response.on('data', (chunk) => this.#take(chunk));
    response.on('error', () => (this.isEnded = true));
    response.on('close', () => (this.isEnded = true));
  }

  #take(chunk) {
    const blocks = (this.#rest + chunk).split('\n\n');
    this.#rest = blocks.pop();
    for (const block of blocks) {
      const value = (name) => new RegExp(`^${name}: ?(.*)$`, 'm').exec(block)?.[1];
      const data = value('data');
      if (data !== undefined)
        this.seen.push({ id: value('id') ?? null, event: value('event') ?? 'message', data: JSON.parse(data) });
    }
  }
}
