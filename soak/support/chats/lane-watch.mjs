import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

const EVERY_MS = 10;

/** Polls which servers hold conversations. */
export class LaneWatch {
  /** Names of the servers that were seen with one. @type {Set<string>} */
  holders = new Set();
  #client;
  #isStopped = false;
  #ended;

  /** Use `open`. */
  constructor(client) {
    this.#client = client;
    this.#ended = this.#watch();
  }

  /** @param {string} databaseUrl @returns {Promise<LaneWatch>} */
  static async open(databaseUrl) {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    return new LaneWatch(client);
  }

  async close() {
    this.#isStopped = true;
    await this.#ended;
    await this.#client.end();
  }

  async #watch() {
    while (!this.#isStopped) {
      const { rows } = await this.#client.query(
        'SELECT lease_owner FROM channel_session WHERE lease_owner IS NOT NULL',
      );
      for (const { lease_owner: owner } of rows) this.holders.add(owner.split(':')[0]);
      await pause(EVERY_MS);
    }
  }
}
