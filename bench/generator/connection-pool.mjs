import { Connection } from './connection.mjs';

/** Keep-alive connections; requests wait for a free one. */
export class ConnectionPool {
  #all;
  #idle;
  #waiting = [];

  /** @param {number} port of 127.0.0.1 @param {number} size */
  constructor(port, size) {
    this.#all = Array.from({ length: size }, () => new Connection(port));
    this.#idle = [...this.#all];
  }

  async opened() {
    await Promise.all(this.#all.map((connection) => connection.opened()));
  }

  /** @param {import('./load.mjs').Exchange} exchange @param {(fault: string | null) => void} onEnd */
  send(exchange, onEnd) {
    const connection = this.#idle.pop();
    if (connection === undefined) {
      this.#waiting.push({ exchange, onEnd });
      return;
    }
    const onAnswer = (answer) => {
      this.#idle.push(connection);
      const next = this.#waiting.shift();
      if (next) this.send(next.exchange, next.onEnd);
      onEnd(exchange.accept(answer));
    };
    connection.send(exchange, onAnswer, (error) => onEnd(`connection lost: ${error.message}`));
  }

  close() {
    for (const connection of this.#all) connection.close();
  }
}
