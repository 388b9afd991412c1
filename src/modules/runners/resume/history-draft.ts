import type { IndexedResult } from './tool-call-index.js';
import { MARK, type CallOutcome, type CalledTool, type CallOutcomes } from './call-outcomes.js';
import type { Repair, RepairedHistory, RepairKind } from './repair.js';

/** A message as exact JSON, and the index of the reported message that it is or was made for. */
export interface DraftMessage {
  at: number;
  bytes: Buffer;
}

/** The history for the model in the making, with its changes. */
export class HistoryDraft {
  messages: DraftMessage[] = [];
  private readonly repairs: Repair[] = [];

  constructor(private readonly outcomes: CallOutcomes) {}

  push(at: number, bytes: Buffer): void {
    this.messages.push({ at, bytes });
  }

  /** Call this for every call of the history before any query. */
  register(calls: readonly CalledTool[]): void {
    for (const call of calls) this.outcomes.register(call);
  }

  /** @param index the changed message of the reported history */
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

  /** Creates a result for a call that has none. */
  insertResult(at: number, call: CalledTool, write: (outcome: CallOutcome) => Buffer): Buffer {
    const outcome = this.outcomes.of(call);
    this.noteRepair(at, 'inserted_result', call.id, outcome.detail);
    return write(outcome);
  }

  /** The result unchanged, unless an earlier repair wrote that the outcome was unknown and the ledger knows it by now. */
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

/** Whether a repair wrote the result because the outcome was unknown. */
export function isProvisional({ bytes }: Pick<IndexedResult, 'bytes'>): boolean {
  return bytes.includes(`"${MARK}`);
}
