import net from 'node:net';

/** A proxy to PostgreSQL that can be cut: all connections end at once on both sides; new ones are accepted. */
export class CutLink {
  /** Number of connections cut. */
  cuts = 0;
  #server;
  #sockets = new Set();

  /** @param {URL} target @param {import('../../bench/support/cleanup.mjs').Cleanup} cleanup @returns {Promise<CutLink>} */
  static async open(target, cleanup) {
    const link = new CutLink();
    link.#server = net.createServer((near) => link.#join(near, net.connect(Number(target.port), target.hostname)));
    await new Promise((resolve) => link.#server.listen(0, '127.0.0.1', resolve));
    link.url = new URL(target);
    Object.assign(link.url, { hostname: '127.0.0.1', port: String(link.#server.address().port) });
    cleanup.add(async () => link.close());
    return link;
  }

  /** Data sent before may or may not have arrived. */
  cut() {
    this.cuts += this.#sockets.size / 2;
    for (const socket of this.#sockets) socket.destroy();
  }

  close() {
    this.#server.close();
    this.cut();
  }

  #join(near, far) {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ]) {
      this.#sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}
