import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { SqlRow } from '../../database/database.js';
import { JournalParticipants } from '../threads/journal/store/journal-participants.service.js';
import type { JournalParticipant } from '../threads/threads.contract.js';
import { effectFault } from './imported-effect.js';

/** Deletes, imports and exports effects with their thread. */
@Injectable()
export class EffectsRecorder implements JournalParticipant, OnModuleInit {
  readonly tables = ['effect'];
  /** A started write is in doubt, or soon will be. */
  readonly isWaiting = `EXISTS (SELECT 1 FROM effect f WHERE f.thread_pk = t.pk AND f.state = 'started' AND f.kind = 'write')`;

  constructor(private readonly participants: JournalParticipants) {}

  onModuleInit(): void {
    this.participants.add(this);
  }

  importFault(row: SqlRow): string | null {
    return effectFault(row);
  }
}
