import { Injectable } from '@nestjs/common';
import type { Principal } from '../../common/principal.js';
import { RunnersIngestionService, type IngestionResult } from '../runners/ingestion/runners-ingestion.service.js';
import type { SentStep } from './state-body.js';
import { assertStateIds } from './state-identity.js';
import { StateService, type Body, type StateTarget, type StoredCheckpoint } from './state.service.js';

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
   * Stores writes and checkpoint durably, then the events, each checked by itself. Repeating it changes nothing.
   * @throws DomainError as `StateService.put`; if the events cannot be stored, the rest is
   */
  async store(
    owner: Pick<StateTarget, 'threadId' | 'agentId'>,
    body: Body<SentStep>,
    caller: Principal,
  ): Promise<StoredStep> {
    assertStateIds(owner);
    const { checkpoint, writes, events } = body.sent;
    const isState = checkpoint !== null || writes.length > 0;
    const stored = isState ? await this.states.putStep(owner, body, caller) : null;
    const batch = events && Buffer.concat([BEGIN, events, END]);
    return { checkpoint: stored, reported: batch && (await this.ingestion.ingestBeside(batch, caller)) };
  }
}

const BEGIN = Buffer.from('{"events":');
const END = Buffer.from('}');
