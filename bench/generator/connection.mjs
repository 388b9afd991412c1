import net from 'node:net';
import { ResponseReader } from './response-reader.mjs';

const READ_BUFFER_BYTES = 256 * 1024;

/** One keep-alive connection with at most one request in flight. */
export class Connection {
  /** @type {((answer: import('./response-reader.mjs').Answer) => void) | null} */
  #onAnswer = null;
  /** @type {((error: Error) => void) | null} */
  #onFailure = null;
  #socket;
  #reader = new ResponseReader((answer) => this.#settle(answer));

  /** @param {number} port of 127.0.0.1 */
  constructor(port) {
    const onread = {
      buffer: Buffer.allocUnsafe(READ_BUFFER_BYTES),
      callback: (size, bytes) => this.#read(size, bytes),
    };
    this.#socket = net.connect({ port, host: '127.0.0.1', noDelay: true, onread });
    this.#socket.on('error', (error) => this.#fail(error));
    this.#socket.on('close', () => this.#fail(new Error('the server closed the connection')));
  }

  /** @returns {Promise<void>} */
  opened() {
    return new Promise((resolve, reject) => {
      this.#onFailure = reject;
      this.#socket.once('connect', () => resolve());
    });
  }

  /**
   * @param {import('./load.mjs').Exchange} exchange
   * @param {(answer: import('./response-reader.mjs').Answer) => void} onAnswer
   * @param {(error: Error) => void} onFailure the connection is useless afterwards
   */
  send(exchange, onAnswer, onFailure) {
    if (this.#socket.destroyed) {
      onFailure(new Error('the server closed the idle connection'));
      return;
    }
    this.#onAnswer = onAnswer;
    this.#onFailure = onFailure;
    this.#reader.expect(exchange.keepsBody);
    if (exchange.body === null) {
      this.#socket.write(exchange.head, 'latin1');
      return;
    }
    this.#socket.cork();
    this.#socket.write(exchange.head, 'latin1');
    this.#socket.write(exchange.body);
    this.#socket.uncork();
  }

  close() {
    this.#onFailure = null;
    this.#socket.destroy();
  }

  #read(size, bytes) {
    try {
      this.#reader.feed(bytes.subarray(0, size));
    } catch (error) {
      this.#fail(error);
    }
    return true;
  }

  #settle(answer) {
    const onAnswer = this.#onAnswer;
    this.#onAnswer = null;
    this.#onFailure = null;
    if (onAnswer === null) throw new Error('the server sent an answer that nobody asked for');
    onAnswer(answer);
  }

  #fail(error) {
    const onFailure = this.#onFailure;
    this.#onFailure = null;
    this.#socket.destroy();
    onFailure?.(error);
  }
}
