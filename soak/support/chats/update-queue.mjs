import { setTimeout as pause } from 'node:timers/promises';

const LOOK_MS = 10;

/** Updates that Telegram keeps for one bot until they are fetched. */
export class UpdateQueue {
  /** When it was last polled. */
  askedMs = -Infinity;
  /** Polls that met another open one. */
  conflicts = 0;
  #updates = [];
  #open = null;

  /** @param {{update_id: number}} update */
  add(update) {
    this.#updates.push(update);
  }

  /**
   * Answers `getUpdates`, which confirms the updates before the offset.
   * @param {{offset?: number, timeout?: number}} question @param {() => boolean} isGone whether the caller has gone
   */
  async fetch({ offset = 0, timeout = 0 }, isGone) {
    this.askedMs = performance.now();
    this.#updates = this.#updates.filter(({ update_id: id }) => id >= offset);
    if (this.#open !== null && !this.#open.isGone()) this.conflicts += 1;
    const question = (this.#open = { isGone });
    const endMs = this.askedMs + timeout * 1000;
    const isEmpty = () => this.#updates.length === 0 && performance.now() < endMs;
    while (this.#open === question && isEmpty() && !isGone()) await pause(LOOK_MS);
    if (this.#open !== question) return conflict();
    this.#open = null;
    return { status: 200, body: { ok: true, result: [...this.#updates] } };
  }
}

function conflict() {
  const description = 'Conflict: terminated by other getUpdates request';
  return { status: 409, body: { ok: false, error_code: 409, description } };
}
