import { setTimeout as pause } from 'node:timers/promises';

const LOOK_MS = 10;

/** What Telegram keeps for one bot until somebody has fetched it. */
export class UpdateQueue {
  /** When it was last asked for. */
  askedMs = -Infinity;
  /** Questions that met another one which was still open. */
  conflicts = 0;
  #updates = [];
  #open = null;

  /** @param {{update_id: number}} update */
  add(update) {
    this.#updates.push(update);
  }

  /**
   * Answers `getUpdates`, which confirms what lies before the offset.
   * @param {{offset?: number, timeout?: number}} question @param {() => boolean} isGone whether the asker is
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
