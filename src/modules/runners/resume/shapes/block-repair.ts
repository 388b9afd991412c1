import type { BookedResult } from '../call-book.js';
import type { CallOutcomes } from '../call-outcomes.js';
import { arrayOf, withValue } from '../exact-values.js';
import { HistoryDraft } from '../history-draft.js';
import type { RepairedHistory } from '../repair.js';
import { BlockHistory, type BlockMessage, type ReadBlock, type Round } from './block-history.js';
import type { BlockShape } from './block-shape.js';
import { unpairedHosted } from './hosted-calls.js';

/** In place of a message without which two turns of the model would stand in a row. */
const LEFT_OUT = 'A tool result that answered no call stood here.';

/** Pairs calls and results that are blocks of messages. Messages of one role in a row are one turn. */
export class BlockRepair {
  private readonly history: BlockHistory;
  private readonly draft: HistoryDraft;
  private readonly hosted: ReadonlySet<ReadBlock>;
  /** The blocks of each message that the model gets. */
  private readonly kept: ReadBlock[][];
  /** Messages of results, by the number of the message before which they stand. */
  private readonly inserted = new Map<number, Buffer>();

  constructor(
    private readonly shape: BlockShape,
    messages: readonly Buffer[],
    outcomes: CallOutcomes,
  ) {
    this.history = new BlockHistory(shape, messages);
    this.draft = new HistoryDraft(outcomes);
    this.hosted = unpairedHosted(this.history.messages, (block) => this.history.isStayingResult(block));
    for (const call of this.history.book.calls) outcomes.see(call);
    this.kept = this.history.messages.map((message) => this.withCallsLast(message, this.keptBlocks(message)));
  }

  repaired(): RepairedHistory {
    for (const round of this.history.rounds) this.addResults(round);
    const { messages } = this.history;
    let isUserBefore = false;
    for (const message of messages) {
      isUserBefore = this.pushInserted(message.at) || isUserBefore;
      const isNeeded = !message.isModel && !isUserBefore && !messages[message.at + 1]?.isUser;
      if (this.push(message, isNeeded)) isUserBefore = message.isUser;
    }
    this.pushInserted(messages.length);
    return this.draft.repaired();
  }

  /** All but results that stand in the wrong place, or have no call. */
  private keptBlocks({ at, blocks }: BlockMessage): ReadBlock[] {
    const kept: ReadBlock[] = [];
    for (const block of blocks) {
      if (block.kind === 'result') {
        const result = this.history.resultOf(block);
        if (!result.call) this.draft.tellRemoved(result);
        else if (this.history.isStaying(result)) kept.push({ ...block, bytes: this.renewed(result) });
      } else if (block.kind === 'call' && this.history.isRepeated(block)) {
        this.draft.tell(at, 'removed_call', block.id, 'An earlier call has this id.');
      } else if (!this.hosted.has(block)) kept.push(block);
      else if (block.kind === 'hosted_call') {
        this.draft.tell(at, 'removed_call', block.id, 'The provider runs this tool itself, and its result is missing.');
      } else if (block.kind === 'hosted_result') {
        this.draft.tell(at, 'removed_result', block.id, 'It answers no call before it.');
      }
    }
    return kept;
  }

  private withCallsLast({ at, isModel }: BlockMessage, kept: ReadBlock[]): ReadBlock[] {
    const firstCall = kept.findIndex(({ kind }) => kind === 'call');
    const [before, behind] = [kept.slice(0, firstCall), kept.slice(firstCall)];
    const isText = ({ kind }: ReadBlock) => kind === 'text';
    if (!this.shape.isOrdered || !isModel || firstCall === -1 || !behind.some(isText)) return kept;
    this.draft.tell(at, 'reordered_message', null, 'The provider expects the tool calls behind the text.');
    return [...before, ...behind.filter(isText), ...behind.filter((block) => !isText(block))];
  }

  /** Adds the results that are missing behind the calls: those that stand elsewhere, and those that nobody reported. */
  private addResults({ calls, end, turnEnd }: Round): void {
    const added: ReadBlock[] = [];
    for (const call of calls) {
      const { at, answer } = call;
      if (answer && this.history.isStaying(answer)) continue;
      if (answer) this.draft.tellMoved(answer);
      const bytes = answer
        ? this.renewed(answer)
        : this.draft.insert(at, call, (outcome) => this.shape.result(call, outcome));
      added.push({ kind: 'result', id: call.id, name: call.name, bytes });
    }
    if (added.length === 0) return;
    // Some messages have more results than a call can have arguments: nothing is spread here.
    let at = turnEnd - 1;
    while (at >= end && !this.kept[at]!.some(isResult)) at -= 1;
    if (at >= end) {
      const behind = this.kept[at]!.findLastIndex(isResult) + 1;
      this.kept[at] = this.kept[at]!.slice(0, behind).concat(added, this.kept[at]!.slice(behind));
    } else this.inserted.set(end, this.userMessage(added));
  }

  private renewed(result: BookedResult): Buffer {
    return this.draft.renew(result, (outcome) => this.shape.result(result.call!, outcome));
  }

  private pushInserted(at: number): boolean {
    const message = this.inserted.get(at);
    if (message) this.draft.messages.push(message);
    return message !== undefined;
  }

  /** @param isNeeded whether a message that lost everything is replaced; it is left out otherwise */
  private push({ at, bytes, list, blocks }: BlockMessage, isNeeded: boolean): boolean {
    let kept = this.kept[at]!.map((block) => block.bytes);
    if (kept.length === 0 && blocks.length > 0) {
      if (!isNeeded) return false;
      this.draft.tell(at, 'inserted_message', null, 'Without it two messages of the model would stand in a row.');
      kept = [this.shape.text(LEFT_OUT)];
    }
    const isSame = kept.length === blocks.length && kept.every((block, i) => block === blocks[i]!.bytes);
    this.draft.messages.push(isSame || !list ? bytes : withValue(bytes, list, arrayOf(kept)));
    return true;
  }

  private userMessage(blocks: readonly ReadBlock[]): Buffer {
    const list = arrayOf(blocks.map(({ bytes }) => bytes));
    return Buffer.concat([Buffer.from(`{"role":"user","${this.shape.list}":`), list, Buffer.from('}')]);
  }
}

function isResult({ kind }: ReadBlock): boolean {
  return kind === 'result';
}
