import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Injectable } from '@nestjs/common';
import { newId } from '../../../common/ids.js';
import { RunSettings } from '../run-settings.js';

const FILE = 'process-id';
const ID = /^[\w-]{1,100}$/;

/** Identifies this process to the API, even after a restart: stored with the state, which holds the runs. */
@Injectable()
export class ProcessId {
  readonly value: string;

  constructor({ stateDir }: RunSettings) {
    this.value = idIn(path.join(stateDir, FILE));
  }
}

/** If the file cannot be read or written, the id is only good for this process. */
function idIn(file: string): string {
  try {
    const known = readFileSync(file, 'utf8').trim();
    if (ID.test(known)) return known;
  } catch {
    // The first start.
  }
  const id = newId();
  try {
    writeFileSync(file, `${id}\n`, { mode: 0o600 });
  } catch {
    // The state database reports this better.
  }
  return id;
}
