import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/principal.js';
import { RunnersIngestionService, type IngestionResult } from '../runners/ingestion/runners-ingestion.service.js';
import type { SentStep } from './state-body.js';
import { assertStateIds } from './state-identity.js';
import type { UnitOfWork } from '../threads/journal/thread-journal.service.js';
import { StateService, type Body, type StateOwner, type StoredCheckpoint } from './state.service.js';

export interface StoredStep {
  /** Null if the step has none. */
  checkpoint: StoredCheckpoint | null;
  /** Null if it reports nothing. */
  reported: IngestionResult | null;
}

/** A graph's checkpoint, writes and events of a step in one request. */
@Injectable()
export class StateStepsService {
  constructor(
    private readonly states: StateService,
    private readonly ingestion: RunnersIngestionService,
  ) {}

  /**
   * Stores writes, checkpoint and events durably in one transaction, without the events it refuses. Repeating it changes nothing.
   * @throws DomainError as `StateService.put` and `RunnersIngestionService.ingestBeside`; then nothing is stored
   */
  async store(owner: StateOwner, { sent, bytes, onQueued }: Body<SentStep>, caller: Principal): Promise<StoredStep> {
    assertStateIds(owner);
    const { checkpoint, writes, events } = sent;
    const isState = checkpoint !== null || writes.length > 0;
    const work = isState ? await this.states.stepWork(owner, sent, caller) : null;
    if (events === null)
      return { checkpoint: work && (await this.states.submit(work, { bytes, onQueued })), reported: null };
    let stored: StoredCheckpoint | null = null;
    const beside = work && {
      ...work,
      run: async (drafts: UnitOfWork) => {
        stored = await work.run(drafts);
      },
    };
    const batch = Buffer.concat([BEGIN, events, END]);
    return { reported: await this.ingestion.ingestBeside(batch, caller, onQueued, beside), checkpoint: stored };
  }
}

const BEGIN = Buffer.from('{"events":');
const END = Buffer.from('}');
