import { open, rename, stat } from 'node:fs/promises';
import path from 'node:path';
import { OLDER_REFUSED_EVENTS_FILE, REFUSED_EVENTS_FILE } from '../../../common/refused-events.js';
import type { RejectedReport } from '../../../client/batch-answer.js';

/** Two files of this size are kept at most, and one batch more. */
const MAX_BYTES = 32 * 1024 * 1024;

/** Events that the API has refused for good, as lines of JSON in the state directory, so that a person can look at them or send them again. */
export class RefusedReports {
  /** Where the newest are. */
  readonly file: string;

  /** @param maxBytes size from which the file is put aside, in place of the one before */
  constructor(
    private readonly folder: string,
    private readonly maxBytes = MAX_BYTES,
  ) {
    this.file = path.join(folder, REFUSED_EVENTS_FILE);
  }

  /** Durable when it resolves. The file holds messages, so that only the user of this process may read it. @throws as `node:fs` does */
  async keep(rejected: readonly RejectedReport[], nowIso: string): Promise<void> {
    const { size } = await stat(this.file).catch(() => ({ size: 0 }));
    if (size >= this.maxBytes) await rename(this.file, path.join(this.folder, OLDER_REFUSED_EVENTS_FILE));
    const handle = await open(this.file, 'a', 0o600);
    try {
      await handle.appendFile(rejected.map((report) => lineOf(report, nowIso)).join(''));
      await handle.sync();
    } finally {
      await handle.close();
    }
  }
}

/** The event stays the text that it was: numbers in it may be larger than JavaScript counts. */
function lineOf({ event, code, detail }: RejectedReport, refused_at: string): string {
  const about = JSON.stringify({ refused_at, code, detail });
  return `${about.slice(0, -1)},"event":${event}}\n`;
}
