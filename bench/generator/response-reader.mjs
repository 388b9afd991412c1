const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = Buffer.from('\r\n');

/**
 * @typedef {object} Answer
 * @property {number} status
 * @property {number} length       bytes of the body
 * @property {Buffer | null} body  only if requested
 */

/**
 * Reads the responses of one connection: only the HTTP/1.1 that a server sends to GET and POST, so that the generator
 * costs little.
 */
export class ResponseReader {
  #pending = Buffer.alloc(0);
  #state = 'head';
  #status = 0;
  #left = 0;
  #length = 0;
  #keepsBody = false;
  /** @type {Buffer[]} */
  #kept = [];

  /** @param {(answer: Answer) => void} onAnswer */
  constructor(onAnswer) {
    this.onAnswer = onAnswer;
  }

  /** @param {boolean} keepsBody whether the next answer should carry its body */
  expect(keepsBody) {
    this.#keepsBody = keepsBody;
  }

  /** @param {Buffer} bytes not kept: may be reused after the call @throws {Error} if they are not an HTTP response */
  feed(bytes) {
    const isRest = this.#pending.length > 0;
    let rest = isRest ? Buffer.concat([this.#pending, bytes]) : bytes;
    this.#pending = Buffer.alloc(0);
    while (rest.length > 0) {
      const used = this.#consume(rest);
      if (used < 0) {
        this.#pending = Buffer.from(rest);
        return;
      }
      rest = rest.subarray(used);
    }
  }

  /** Returns how many bytes it used, or -1 if it needs more. */
  #consume(bytes) {
    if (this.#state === 'head') return this.#readHead(bytes);
    if (this.#state === 'size') return this.#readChunkSize(bytes);
    if (this.#state === 'trailer') return this.#readTrailer(bytes);
    return this.#readBody(bytes);
  }

  #readHead(bytes) {
    const end = bytes.indexOf(HEAD_END);
    if (end < 0) return -1;
    const head = bytes.latin1Slice(0, end);
    if (!head.startsWith('HTTP/1.1 ')) throw new Error(`not an HTTP/1.1 answer: ${head.slice(0, 40)}`);
    this.#status = Number(head.slice(9, 12));
    this.#length = 0;
    const length = /\r\ncontent-length: *(\d+)/i.exec(head);
    if (length) this.#left = Number(length[1]);
    else this.#left = 0;
    if (!length && /\r\ntransfer-encoding: *chunked/i.test(head)) this.#state = 'size';
    else if (this.#left === 0) this.#finish();
    else this.#state = 'body';
    return end + 4;
  }

  #readBody(bytes) {
    const used = Math.min(this.#left, bytes.length);
    if (this.#keepsBody) this.#kept.push(Buffer.from(bytes.subarray(0, used)));
    this.#length += used;
    this.#left -= used;
    if (this.#left > 0) return used;
    if (this.#state === 'chunk') this.#state = 'size';
    else this.#finish();
    return used;
  }

  #readChunkSize(bytes) {
    const start = bytes[0] === 0x0d ? 2 : 0; // the previous chunk's line end
    const end = bytes.indexOf(LINE_END, start);
    if (end < 0) return -1;
    this.#left = Number.parseInt(bytes.latin1Slice(start, end), 16);
    if (Number.isNaN(this.#left)) throw new Error('a chunk without a size');
    this.#state = this.#left === 0 ? 'trailer' : 'chunk';
    return end + 2;
  }

  #readTrailer(bytes) {
    const end = bytes.indexOf(LINE_END);
    if (end < 0) return -1;
    if (end === 0) this.#finish();
    return end + 2;
  }

  #finish() {
    const body = this.#keepsBody ? Buffer.concat(this.#kept) : null;
    this.#kept = [];
    this.#state = 'head';
    this.onAnswer({ status: this.#status, length: this.#length, body });
  }
}
