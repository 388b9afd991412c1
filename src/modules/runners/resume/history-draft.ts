import type { IndexedResult } from './tool-call-index.js';
import { MARK, type CallOutcome, type CalledTool, type CallOutcomes } from './call-outcomes.js';
import type { Repair, RepairedHistory, RepairKind } from './repair.js';

/** A message as exact JSON, and the number of the reported message that it is, or that it was made for. */
export interface DraftMessage {
  at: number;
  bytes: Buffer;
}

/** The history for the model while it is made, with what was changed. */
export class HistoryDraft {
  messages: DraftMessage[] = [];
  private readonly repairs: Repair[] = [];

  constructor(private readonly outcomes: CallOutcomes) {}

  push(at: number, bytes: Buffer): void {
    this.messages.push({ at, bytes });
  }

  /** Call it for every call of the history before anything is asked. */
  register(calls: readonly CalledTool[]): void {
    for (const call of calls) this.outcomes.register(call);
  }

  /** @param index the message of the reported history that the change is about */
  noteRepair(index: number, kind: RepairKind, call_id: string | null, detail: string): void {
    this.repairs.push({ index, kind, call_id, detail });
  }

  noteRemovedResult({ at, id, isDuplicate }: IndexedResult): void {
    this.noteRepair(
      at,
      'removed_result',
      id,
      isDuplicate ? 'The call has an earlier result.' : 'It answers no call before it.',
    );
  }

  noteMovedResult({ at, id }: IndexedResult): void {
    this.noteRepair(at, 'moved_result', id, 'The provider expects it directly behind its call.');
  }

  /** A result for a call that has none. */
  insertResult(at: number, call: CalledTool, write: (outcome: CallOutcome) => Buffer): Buffer {
    const outcome = this.outcomes.of(call);
    this.noteRepair(at, 'inserted_result', call.id, outcome.detail);
    return write(outcome);
  }

  /** The result as it is; if it says that an earlier repair did not know what became of the call, and the ledger knows it now, that. */
  refreshResult(answer: IndexedResult, write: (outcome: CallOutcome) => Buffer): Buffer {
    if (!isProvisional(answer)) return answer.bytes;
    const outcome = this.outcomes.of(answer.call!);
    const renewed = write(outcome);
    if (!outcome.isSettled || renewed.equals(answer.bytes)) return answer.bytes;
    this.noteRepair(answer.at, 'replaced_result', answer.id, outcome.detail);
    return renewed;
  }

  repaired(): RepairedHistory {
    return {
      messages: this.messages.map(({ bytes }) => bytes),
      repairs: this.repairs.toSorted((a, b) => a.index - b.index),
    };
  }
}

/** Whether a repair wrote the result for want of a better one. */
export function isProvisional({ bytes }: Pick<IndexedResult, 'bytes'>): boolean {
  return bytes.includes(`"${MARK}`);
}
