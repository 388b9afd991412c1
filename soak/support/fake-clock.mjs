import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const USUAL_PLACES = ['x86_64-linux-gnu', 'aarch64-linux-gnu', 'arm-linux-gnueabihf'].map(
  (machine) => `/usr/lib/${machine}/faketime/libfaketime.so.1`,
);

/** A wall clock that jumps on request; the monotonic clock is unaffected. */
export class FakeClock {
  /** Environment of the servers that use it. */
  env;
  #file;

  /** Use `open`. */
  constructor(library, file) {
    this.#file = file;
    this.env = {
      ...{ LD_PRELOAD: library, FAKETIME_TIMESTAMP_FILE: file },
      ...{ FAKETIME_NO_CACHE: '1', FAKETIME_DONT_FAKE_MONOTONIC: '1' },
    };
    this.jump('+0');
  }

  /** @param {import('./stage.mjs').Stage} stage @returns {FakeClock | null} null if this machine has no libfaketime */
  static open(stage) {
    const library = [stage.options.faketime, ...USUAL_PLACES].find((file) => file && existsSync(file));
    return library ? new FakeClock(library, path.join(stage.folder, 'clock')) : null;
  }

  /** @param {string} offset from the true time, such as `-3d` */
  jump(offset) {
    writeFileSync(this.#file, offset);
  }
}

export const NO_FAKE_CLOCK = 'libfaketime is not on this machine (Debian: apt-get install faketime)';
