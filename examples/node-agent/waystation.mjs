import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

const FIRST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 5_000;
const GIVE_UP_AFTER_MS = 120_000;
/** Statuses after which the same request may succeed. */
const PASSING = new Set([429, 502, 503, 504]);

/** An event for the server. The id identifies repeated reports, so resending is always safe. */
export function event(type, data) {
  return { type, id: randomUUID(), occurred_at: new Date().toISOString(), data };
}

/** The part of the API that an agent needs: reporting and resuming. */
export class Waystation {
  #url;
  #token;
  #isAway = false;

  /** `url` without a trailing slash; `token` is the machine secret or a token of scope runner. */
  constructor({ url, token }) {
    this.#url = url;
    this.#token = token;
  }

  /** Reports events in order. Resolves once they are stored durably; waits up to two minutes for an unreachable server. */
  async report(...events) {
    const response = await this.#send('/v1/runners/events', { method: 'POST', body: JSON.stringify({ events }) });
    if (response.status !== 200) throw new Error(`events refused: ${response.status} ${await response.text()}`);
  }

  /** The latest checkpoint of the thread that matches the filter (`agent_id`, `trace_id`), or null. */
  async latest(threadId, filter = {}) {
    const query = new URLSearchParams(filter);
    const response = await this.#send(`/v1/runners/threads/${encodeURIComponent(threadId)}/latest?${query}`);
    if (response.status === 404) return null;
    if (response.status !== 200) throw new Error(`latest refused: ${response.status} ${await response.text()}`);
    return response.json();
  }

  async #send(path, options = {}) {
    const giveUpAt = Date.now() + GIVE_UP_AFTER_MS;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)) {
      const response = await this.#try(path, options);
      const isAway = response === null || PASSING.has(response.status);
      if (isAway !== this.#isAway)
        console.error(`${this.#url} ${isAway ? 'does not answer; reports wait' : 'answers again'}`);
      this.#isAway = isAway;
      if (!isAway) return response;
      if (Date.now() > giveUpAt) throw new Error(`no answer from ${this.#url}`);
      await sleep(pauseMs);
    }
  }

  async #try(path, options) {
    const headers = { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' };
    return fetch(this.#url + path, { ...options, headers }).catch(() => null);
  }
}
