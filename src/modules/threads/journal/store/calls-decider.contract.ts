import type { CallsOpened } from '../../threads.contract.js';
import type { UnitOfWork } from './unit-of-work.js';

/** Tool calls that a job has opened, and that still wait. */
export interface OpenedCalls {
  threadId: string;
  fact: CallsOpened;
}

/**
 * Decides tool calls in the transaction that opens them, so that no person is asked. Register it with `JournalParticipants.decideWith`. It
 * is called after each job that opened calls, and decides through `PendingToolCallsService`; calls that it leaves alone wait for a person.
 * It adds its own statements with `UnitOfWork.write`: later jobs of the transaction cannot read their rows.
 */
export interface CallsDecider {
  decide(unitOfWork: UnitOfWork, opened: readonly OpenedCalls[]): Promise<void>;
}
