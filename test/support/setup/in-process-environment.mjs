// The environment of tests that contain the application: it is loaded once per worker, not again for every file.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import Environment from './environment.mjs';

/** Written by in-process.mjs. */
const APPLICATION = path.resolve(import.meta.dirname, '../../../.tmp/in-process/index.js');

export default class extends Environment {
  async setup() {
    await super.setup();
    const { default: application } = await import(pathToFileURL(APPLICATION).href);
    // A getter, because Jest empties values at the end of a file.
    Object.defineProperty(this.global, 'WAYSTATION_APPLICATION', { get: () => application });
    // The application reads the metadata that a test's decorators write.
    for (const name of Object.getOwnPropertyNames(Reflect)) this.global.Reflect[name] ??= Reflect[name];
  }
}
