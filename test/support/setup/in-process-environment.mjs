// Where the tests run that have the application inside: it is loaded once for each worker, outside of what jest loads again for every file.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import Environment from './environment.mjs';

/** Written by in-process.mjs. */
const APPLICATION = path.resolve(import.meta.dirname, '../../../.tmp/in-process/index.js');

export default class extends Environment {
  async setup() {
    await super.setup();
    const { default: application } = await import(pathToFileURL(APPLICATION).href);
    // As a getter: jest empties at the end of a file what is a value here.
    Object.defineProperty(this.global, 'WAYSTATION_APPLICATION', { get: () => application });
    // What decorators of a test write down, the application reads.
    for (const name of Object.getOwnPropertyNames(Reflect)) this.global.Reflect[name] ??= Reflect[name];
  }
}
