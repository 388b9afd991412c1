import { once } from 'node:events';
import { createServer } from 'node:http';

/** A bank that books at once but responds only when told to, as on bad days. Ignores idempotency keys. */
export class FakeBank {
  /** Payments: `{transfer, order, cents}`. */
  transfers = [];
  url = '';
  #server = createServer((request, response) => void this.#book(request, response));
  #booked = withResolvers();

  static async open() {
    const bank = new FakeBank();
    bank.#server.listen(0, '127.0.0.1');
    await once(bank.#server, 'listening');
    bank.url = `http://127.0.0.1:${bank.#server.address().port}`;
    return bank;
  }

  /** Resolves when the first money has moved. */
  get booked() {
    return this.#booked.promise;
  }

  close() {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #book(request, response) {
    let text = '';
    for await (const chunk of request) text += chunk;
    const transfer = { transfer: `T-${this.transfers.length + 1}`, ...JSON.parse(text) };
    this.transfers.push(transfer);
    this.#booked.resolve();
    // The first response never comes.
    if (this.transfers.length > 1) response.end(JSON.stringify(transfer));
  }
}

function withResolvers() {
  let resolve;
  const promise = new Promise((done) => (resolve = done));
  return { promise, resolve };
}
