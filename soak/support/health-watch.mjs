/** Polls servers for their health and their number of database connections. */
export class HealthWatch {
  /** @type {number[]} */
  times = [];
  #most = { busy: 0, waiting: 0 };
  #watched = new Map();

  constructor(stage, servers) {
    this.stage = stage;
    for (const server of servers) this.watch(server);
  }

  get poolText() {
    return `at most ${this.#most.busy} connections busy and ${this.#most.waiting} requests waiting for one`;
  }

  watch(server) {
    const client = this.stage.client(server);
    const timer = setInterval(() => {
      client.get('/health').then(
        ({ ms }) => this.times.push(ms),
        () => undefined,
      );
    }, 100);
    const slow = setInterval(() => {
      client.get('/metrics').then(
        ({ bytes }) => this.#note(bytes.toString()),
        () => undefined,
      );
    }, 1000);
    this.#watched.set(server, [timer, slow]);
  }

  forget(server) {
    this.#watched.get(server)?.forEach(clearInterval);
  }

  stop() {
    for (const server of this.#watched.keys()) this.forget(server);
  }

  #note(text) {
    const value = (name) => Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1] ?? 0);
    this.#most.busy = Math.max(this.#most.busy, value('waystation_database_pool_connections\\{state="busy"\\}'));
    this.#most.waiting = Math.max(this.#most.waiting, value('waystation_database_pool_waiting'));
  }
}
