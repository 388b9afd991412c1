import type { IndexedResult } from '../tool-call-index.js';
import { arrayOf, withValue } from '../../../../common/exact-values.js';
import type { DraftMessage, HistoryDraft } from '../history-draft.js';
import { BlockHistory, type BlockMessage, type ReadBlock, type Round } from './block-history.js';
import type { BlockShape } from './block-shape.js';
import { unpairedHosted } from './hosted-calls.js';

/** Replaces a message whose removal would leave two model turns in a row. */
const LEFT_OUT = 'A tool result that answered no call stood here.';

/** Pairs calls and results that are blocks of messages. */
export function repairBlocks(shape: BlockShape, messages: readonly DraftMessage[], draft: HistoryDraft): void {
  new BlockRepair(shape, messages, draft).repair();
}

class BlockRepair {
  private readonly history: BlockHistory;
  private readonly hosted: ReadonlySet<ReadBlock>;
  private readonly kept: ReadBlock[][];
  /** Messages with results, by the index that they precede. */
  private readonly inserted = new Map<number, DraftMessage>();

  constructor(
    private readonly shape: BlockShape,
    messages: readonly DraftMessage[],
    private readonly draft: HistoryDraft,
  ) {
    this.history = new BlockHistory(shape, messages);
    this.hosted = unpairedHosted(this.history.messages, (block) => this.history.isStayingResult(block));
    draft.register(this.history.toolCalls.calls);
    this.kept = this.history.messages.map((message) => this.withCallsLast(message, this.keptBlocks(message)));
  }

  repair(): void {
    for (const round of this.history.rounds) this.addResults(round);
    const { messages } = this.history;
    let isUserBefore = false;
    for (const [place, message] of messages.entries()) {
      isUserBefore = this.pushInserted(place) || isUserBefore;
      const isNeeded = !message.isModel && this.shape.resultRole === 'user' && !isUserBefore;
      if (this.push(place, isNeeded && !messages[place + 1]?.isUser)) isUserBefore = message.isUser;
    }
    this.pushInserted(messages.length);
  }

  /** All blocks except misplaced results and results without a call. */
  private keptBlocks({ at, blocks }: BlockMessage): ReadBlock[] {
    const kept: ReadBlock[] = [];
    for (const block of blocks) {
      if (block.kind === 'result') {
        const result = this.history.resultOf(block);
        if (!result.call) this.draft.noteRemovedResult(result);
        else if (this.history.isStaying(result)) kept.push({ ...block, bytes: this.renewed(result) });
      } else if (block.kind === 'call' && this.history.isRepeated(block)) {
        this.draft.noteRepair(at, 'removed_call', block.id, 'An earlier call has this id.');
      } else if (!this.hosted.has(block)) kept.push(block);
      else if (block.kind === 'hosted_call') {
        this.draft.noteRepair(
          at,
          'removed_call',
          block.id,
          'The provider runs this tool itself, and its result is missing.',
        );
      } else if (block.kind === 'hosted_result') {
        this.draft.noteRepair(at, 'removed_result', block.id, 'It answers no call before it.');
      }
    }
    return kept;
  }

  private withCallsLast({ at, isModel }: BlockMessage, kept: ReadBlock[]): ReadBlock[] {
    const firstCall = kept.findIndex(({ kind }) => kind === 'call');
    const [before, behind] = [kept.slice(0, firstCall), kept.slice(firstCall)];
    const isText = ({ kind }: ReadBlock) => kind === 'text';
    if (!this.shape.isOrdered || !isModel || firstCall === -1 || !behind.some(isText)) return kept;
    this.draft.noteRepair(at, 'reordered_message', null, 'The provider expects the tool calls behind the text.');
    return [...before, ...behind.filter(isText), ...behind.filter((block) => !isText(block))];
  }

  /** Adds the missing results after the calls: those found elsewhere, and substitutes for those that nobody reported. */
  private addResults({ calls, end, turnEnd }: Round): void {
    const added: ReadBlock[] = [];
    for (const call of calls) {
      const { at, result } = call;
      if (result && this.history.isStaying(result)) continue;
      if (result) this.draft.noteMovedResult(result);
      const bytes = result
        ? this.renewed(result)
        : this.draft.insertResult(at, call, (outcome) => this.shape.result(call, outcome));
      added.push({ kind: 'result', id: call.id, name: call.name, bytes });
    }
    if (added.length === 0) return;
    // No spread: some messages have more results than a call can have arguments.
    let place = turnEnd - 1;
    while (place >= end && !this.kept[place]!.some(isResult)) place -= 1;
    if (place < end) {
      this.inserted.set(end, { at: this.history.messages[end - 1]!.at, bytes: this.resultMessage(added) });
      return;
    }
    const behind = this.kept[place]!.findLastIndex(isResult) + 1;
    this.kept[place] = this.kept[place]!.slice(0, behind).concat(added, this.kept[place]!.slice(behind));
  }

  private renewed(result: IndexedResult): Buffer {
    return this.draft.refreshResult(result, (outcome) => this.shape.result(result.call!, outcome));
  }

  private pushInserted(place: number): boolean {
    const message = this.inserted.get(place);
    if (message) this.draft.push(message.at, message.bytes);
    return message !== undefined;
  }

  /** @param isNeeded whether to replace a message that lost all its content; otherwise it is dropped */
  private push(place: number, isNeeded: boolean): boolean {
    const { at, bytes, list, blocks } = this.history.messages[place]!;
    let kept = this.kept[place]!.map((block) => block.bytes);
    if (kept.length === 0 && blocks.length > 0) {
      if (!isNeeded) return false;
      this.draft.noteRepair(at, 'inserted_message', null, 'Without it two messages of the model would stand in a row.');
      kept = [this.shape.text(LEFT_OUT)];
    }
    const isSame = kept.length === blocks.length && kept.every((block, i) => block === blocks[i]!.bytes);
    this.draft.push(at, isSame || !list ? bytes : withValue(bytes, list, arrayOf(kept)));
    return true;
  }

  private resultMessage(blocks: readonly ReadBlock[]): Buffer {
    const { resultRole, list } = this.shape;
    const results = arrayOf(blocks.map(({ bytes }) => bytes));
    return Buffer.concat([Buffer.from(`{"role":"${resultRole}","${list}":`), results, Buffer.from('}')]);
  }
}

function isResult({ kind }: ReadBlock): boolean {
  return kind === 'result';
}
