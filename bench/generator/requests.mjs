/** Writes request heads for one server. */
export class Requests {
  #host;
  #common;

  /** @param {{port: number, token: string}} server */
  constructor(server) {
    this.#host = `Host: 127.0.0.1:${server.port}\r\n`;
    this.#common = `${this.#host}Authorization: Bearer ${server.token}\r\n`;
  }

  /**
   * @param {string} path with query, percent-encoded
   * @param {import('./load.mjs').Exchange['accept']} accept
   * @param {boolean} keepsBody
   * @param {Record<string, string>} [headers] in addition to the usual ones
   * @returns {import('./load.mjs').Exchange}
   */
  get(path, accept, keepsBody = false, headers = {}) {
    const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `GET ${path} HTTP/1.1\r\n${this.#common}${more.join('')}\r\n`;
    return { head, body: null, accept, keepsBody };
  }

  /**
   * A POST without a body.
   * @param {string} path percent-encoded
   * @param {import('./load.mjs').Exchange['accept']} accept
   * @returns {import('./load.mjs').Exchange}
   */
  post(path, accept) {
    const head = `POST ${path} HTTP/1.1\r\n${this.#common}Content-Length: 0\r\n\r\n`;
    return { head, body: null, accept, keepsBody: true };
  }

  /**
   * An update from Telegram; it must be acknowledged.
   * @param {string} secret of the bot's webhook @param {Buffer} body
   * @returns {import('./load.mjs').Exchange}
   */
  telegramUpdate(secret, body) {
    const proof = `X-Telegram-Bot-Api-Secret-Token: ${secret}\r\n`;
    const head = `POST /v1/channels/webhook/telegram HTTP/1.1\r\n${this.#host}${proof}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const accept = ({ status }) => (status === 200 ? null : `an update was answered with status ${status}`);
    return { head, body, accept, keepsBody: false };
  }

  /**
   * A batch of runner events, all of which must be saved.
   * @param {Buffer} body @param {number} events @param {() => void} [then] called after the response
   * @returns {import('./load.mjs').Exchange}
   */
  events(body, events, then) {
    const head = `POST /internal/v1/runners/events HTTP/1.1\r\n${this.#common}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`;
    const accept = (answer) => {
      then?.();
      return savedFault(answer, events);
    };
    return { head, body, accept, keepsBody: true };
  }
}

function savedFault(answer, events) {
  const text = answer.body.toString();
  if (answer.status === 200 && text === `{"saved":${events},"rejected":[]}`) return null;
  if (answer.status !== 200) return `status ${answer.status} instead of 200: ${text.slice(0, 300)}`;
  const { saved, rejected } = JSON.parse(text);
  if (saved === events && rejected.length === 0) return null;
  return `saved ${saved} of ${events} events: ${text.slice(0, 300)}`;
}
