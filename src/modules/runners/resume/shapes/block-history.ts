import { ToolCallIndex, type IndexedCall, type IndexedResult, type Place } from '../tool-call-index.js';
import type { CalledTool } from '../call-outcomes.js';
import { elementsOf, membersOf, nameOf } from '../../../../common/exact-values.js';
import type { DraftMessage } from '../history-draft.js';
import type { Block, BlockShape } from './block-shape.js';

export type ReadBlock = Block & { bytes: Buffer };

/** A message that is a list of blocks, or plain text. */
export interface BlockMessage extends DraftMessage {
  isModel: boolean;
  /** Whether it may bring results. */
  isUser: boolean;
  /** The value with the blocks; null for plain text or an invalid message. */
  list: Buffer | null;
  blocks: readonly ReadBlock[];
}

/** Consecutive model messages with tool calls, and the user turn after them. */
export interface Round {
  calls: IndexedCall[];
  /** Index of the first message after the calls, and after the user turn. */
  end: number;
  turnEnd: number;
}

export class BlockHistory {
  readonly messages: readonly BlockMessage[];
  readonly rounds: readonly Round[];
  readonly toolCalls: ToolCallIndex;
  /** Results that the provider accepts where they are. */
  private readonly staying = new Set<IndexedResult>();
  private readonly results = new Map<Buffer, IndexedResult>();
  private readonly ids = new Set<string>();
  /** Calls that repeat an earlier call's id: in the whole history if results are ordered, otherwise in the same turn. */
  private readonly repeated = new Set<ReadBlock>();

  constructor(
    private readonly shape: BlockShape,
    history: readonly DraftMessage[],
  ) {
    this.toolCalls = new ToolCallIndex(shape.isNamed);
    this.messages = history.map((message) => this.read(message));
    this.rounds = this.findRounds();
    for (const result of this.toolCalls.results) this.results.set(result.bytes, result);
    for (const round of this.rounds) this.findStaying(round);
  }

  resultOf(block: ReadBlock): IndexedResult {
    return this.results.get(block.bytes)!;
  }

  isStaying(result: IndexedResult): boolean {
    return this.staying.has(result);
  }

  isStayingResult(block: ReadBlock): boolean {
    return block.kind === 'result' && this.isStaying(this.resultOf(block));
  }

  isRepeated(call: ReadBlock): boolean {
    return this.repeated.has(call);
  }

  private read({ at, bytes }: DraftMessage): BlockMessage {
    const members = membersOf(bytes);
    const role = nameOf(members.get('role'));
    const list = members.get(this.shape.list);
    const elements = elementsOf(list);
    const blocks = (elements ?? []).map((block) => ({ ...this.shape.read(block), bytes: block }));
    const isModel = role === this.shape.modelRole;
    if (!this.shape.isOrdered && !(isModel && this.shape.isTurnwise)) this.ids.clear();
    for (const [part, block] of blocks.entries()) {
      if (block.kind === 'call' && isModel) this.readCall(block, { at, part });
      if (block.kind === 'result') this.toolCalls.addResult({ at, part, ...block });
    }
    const isUser = this.shape.resultRole === 'tool' ? role === 'tool' : !isModel && role !== 'system';
    return { at, bytes, isModel, isUser, list: elements && list!, blocks };
  }

  private readCall(block: ReadBlock & CalledTool, place: Place): void {
    const isKnown = block.id !== null && this.ids.has(block.id);
    if (isKnown || !this.toolCalls.addCall({ ...place, ...block })) this.repeated.add(block);
    if (block.id !== null) this.ids.add(block.id);
  }

  private findRounds(): Round[] {
    const rounds: Round[] = [];
    const callsAt = this.toolCalls.byMessage();
    for (const [place, message] of this.messages.entries()) {
      const calls = callsAt.get(message.at);
      if (!calls) continue;
      const last = rounds.at(-1);
      if (last && last.end === place && this.isGoingOn(message)) for (const call of calls) last.calls.push(call);
      else rounds.push({ calls: [...calls], end: 0, turnEnd: 0 });
      rounds.at(-1)!.end = place + 1;
    }
    for (const round of rounds) {
      round.turnEnd = round.end;
      while (this.messages[round.turnEnd]?.isUser) round.turnEnd += 1;
    }
    return rounds;
  }

  /** Whether a message's calls continue the previous message's: if calls come last, no text may follow the first ones. */
  private isGoingOn({ blocks }: BlockMessage): boolean {
    return this.shape.isTurnwise && (!this.shape.isOrdered || !blocks.some(({ kind }) => kind === 'text'));
  }

  private findStaying({ calls, end, turnEnd }: Round): void {
    const answers = new Set(calls.map(({ result }) => result));
    for (const message of this.messages.slice(end, turnEnd)) {
      for (const block of message.blocks) {
        const result = block.kind === 'result' ? this.resultOf(block) : null;
        if (result && answers.has(result)) this.staying.add(result);
        if (!result && this.shape.isOrdered) return;
      }
      if (message.list === null && this.shape.isOrdered) return;
    }
  }
}
