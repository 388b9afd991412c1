import { entryPrinter } from './pages.mjs';

const PATIENCE_MS = 15_000;

/** Follows the live stream of a thread and prints its log. */
export class LiveLog {
  events = [];
  #abort = new AbortController();
  #watchers = new Set();
  #following;
  #print = entryPrinter();

  static async follow(api, path) {
    const log = new LiveLog();
    const chunks = await api.stream(path, log.#abort.signal);
    log.#following = log.#read(chunks).catch((error) => {
      if (!log.#abort.signal.aborted) throw error;
    });
    return log;
  }

  /** Waits for a matching event. Returns false if none comes. */
  async until(isSo) {
    const deadline = Date.now() + PATIENCE_MS;
    while (!this.events.some(isSo)) {
      const leftMs = deadline - Date.now();
      if (leftMs <= 0) return false;
      await this.#change(leftMs);
    }
    return true;
  }

  async close() {
    this.#abort.abort();
    await this.#following;
  }

  async #read(chunks) {
    let pending = '';
    for await (const chunk of chunks) {
      const blocks = (pending + chunk).split('\n\n');
      pending = blocks.pop();
      for (const block of blocks) this.#take(block);
      for (const wake of this.#watchers) wake();
    }
  }

  #take(block) {
    const fields = Object.fromEntries(block.split('\n').map((line) => line.split(/:\s?(.*)/s)));
    if (fields.data === undefined) return;
    const event = { type: fields.event, data: JSON.parse(fields.data) };
    this.events.push(event);
    if (event.type === 'log') this.#print(event.data);
  }

  #change(limitMs) {
    return new Promise((resolve) => {
      const timer = setTimeout(done, limitMs);
      const watchers = this.#watchers;
      watchers.add(done);
      function done() {
        clearTimeout(timer);
        watchers.delete(done);
        resolve();
      }
    });
  }
}
