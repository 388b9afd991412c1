import http from 'node:http';

/** A plain round-robin proxy: each request goes to the next server, dead or alive. */
export class Proxy {
  /** Responses to POST still to be lost: the server has done its work. */
  losing = 0;
  /** Number of responses lost. */
  lost = 0;
  #server;
  #turn = 0;

  /** @param {number[]} ports of the servers; may change at any time */
  constructor(ports) {
    this.ports = ports;
    this.#server = http.createServer((request, response) => this.#forward(request, response));
    this.#server.keepAliveTimeout = 0;
  }

  /** @param {number[]} ports @param {import('../../bench/support/cleanup.mjs').Cleanup} cleanup @returns {Promise<Proxy>} */
  static async open(ports, cleanup) {
    const proxy = new Proxy(ports);
    await new Promise((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    cleanup.add(async () => proxy.close());
    return proxy;
  }

  get port() {
    return this.#server.address().port;
  }

  /** @param {{port: number}} old @param {{port: number}} fresh the server that replaces it */
  replace(old, fresh) {
    this.ports = this.ports.map((port) => (port === old.port ? fresh.port : port));
  }

  close() {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  #forward(request, response) {
    const port = this.ports[this.#turn++ % this.ports.length];
    const { method, url: path, headers } = request;
    const onward = http.request({ host: '127.0.0.1', port, method, path, headers, agent: false });
    const cut = () => response.destroy();
    onward.once('error', cut);
    onward.once('response', (answer) => {
      if (method === 'POST' && this.losing > 0) return this.#lose(answer, cut);
      response.writeHead(answer.statusCode, answer.headers);
      answer.once('error', cut);
      answer.pipe(response);
    });
    response.once('close', () => onward.destroy());
    request.pipe(onward);
  }

  #lose(answer, cut) {
    this.losing -= 1;
    this.lost += 1;
    answer.resume().once('close', cut);
  }
}
