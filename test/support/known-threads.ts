import type { INestApplicationContext } from '@nestjs/common';
import { ThreadJournal, type UnitOfWork } from '../../src/modules/threads/journal/thread-journal.service.js';

/** Creates the threads as a lease or the claim of an effect does. */
export function makeKnown(app: INestApplicationContext, ...threadIds: string[]): Promise<void> {
  const run = (drafts: UnitOfWork) => {
    for (const threadId of threadIds) drafts.findOrCreate(threadId).makeKnown();
    return Promise.resolve();
  };
  return app.get(ThreadJournal, { strict: false }).submit({ name: 'make known', threadIds, bytes: 1000, run });
}
