import { Injectable } from '@nestjs/common';
import { numberIn, objectOf, textIn } from '../../../common/json-fields.js';
import { parsedJson } from '../../../common/parsed-json.js';
import { isAtRest } from '../../../common/contract/run-status.js';
import { findRequestedRun } from '../bindings/run-matching.js';
import { runNotFound, threadNotFound } from '../threads.contract.js';
import { countPlaces, parseRanges, placesOf, type Range } from '../message-log/ranges.js';
import { isTooLargeToShow, parseJson } from '../shapes/json-text.js';
import type { LogDraft } from '../shapes/log-draft.js';
import { readMessage } from '../shapes/message-shapes.js';
import { placesAt } from '../message-log/range-sets.js';
import { ThreadElements } from '../message-log/thread-elements.js';
import { ThreadTurnsRepository, type RunRow } from './thread-turns.repository.js';

export type { RunRow };

/** Messages per read, from the end. */
const CHUNK = 16;

/** The part of a run that one message to an agent started. A client may use one run for many messages. */
export interface Turn {
  threadId: string;
  traceId: string;
  /** The agent that got the message; null if unknown. Other agents that use the trace do not speak for it. */
  agentId: string | null;
  /** The thread's last change before it; 0 for a new thread. */
  sinceSeq: number;
  /** The first free place of the thread's message log before it. */
  sinceMessage: number;
}

export interface TurnState {
  /** The status with which the run ended or rests (`idle`); null while it is working. */
  ending: string | null;
  /** Tool calls of the thread wait for a person. */
  isWaiting: boolean;
  /** When the thread last changed. */
  changedAtMs: number;
}

/** A file for a chat, as its event describes it. */
export interface TurnFile {
  digest: string;
  sizeBytes: number;
  name: string | null;
  mediaType: string | null;
  caption: string | null;
}

/** Tells those who started a run how it went. */
@Injectable()
export class ThreadTurnsService {
  constructor(
    private readonly repository: ThreadTurnsRepository,
    private readonly elements: ThreadElements,
  ) {}

  /**
   * All runs with a trace, oldest first; never empty.
   * @throws DomainError `not_found`
   */
  async getRuns(threadId: string, traceId: string): Promise<RunRow[]> {
    const runs = await this.repository.findRuns(threadId, traceId);
    if (runs === null) throw threadNotFound();
    if (runs.length === 0) throw runNotFound();
    return runs;
  }

  /** The run that the agent was asked to begin; null if not reported. */
  async findRun({
    threadId,
    traceId,
    agentId,
  }: Pick<Turn, 'threadId' | 'traceId' | 'agentId'>): Promise<RunRow | null> {
    return findRequestedRun((await this.repository.findRuns(threadId, traceId)) ?? [], agentId);
  }

  /** The run as it was at the thread's change `seq`, enough to tell what was reported since. */
  async runAt(run: RunRow, seq: number): Promise<RunRow> {
    return { ...run, last_seq: seq, attempt: await this.repository.attemptAt(run, seq) };
  }

  /** Null if nobody reported the run, or its thread is gone. */
  async findState(turn: Turn): Promise<TurnState | null> {
    const run = await this.findRun(turn);
    if (run === null) return null;
    const mayHaveEnded = isAtRest(run.status);
    const hasEnded = mayHaveEnded && (await this.repository.isStatusNews(run, turn.sinceSeq));
    return {
      ending: hasEnded ? run.status : null,
      isWaiting: Number(run.pending_approvals) > 0,
      changedAtMs: Number(run.updated_at),
    };
  }

  /**
   * The last thing that the agent said to people in the turn; null for nothing.
   * @param message the message that started the turn: it distinguishes a repeated answer from an old one if the history repeats earlier
   * messages
   */
  async findLastSaid(turn: Turn, message: string): Promise<string | null> {
    const run = await this.findRun(turn);
    const lists = run && (await this.repository.findLastLists(run, turn.sinceSeq));
    if (!lists) return null;
    let old: string | null = null;
    for await (const { place, drafts } of this.backwards(run.thread_pk, parseRanges(lists.history))) {
      const said = assistantText(drafts);
      if (said !== '' && place >= turn.sinceMessage) return said;
      if (said !== '') old ??= said;
      const asked = drafts.find(({ kind }) => kind === 'user');
      if (asked?.kind === 'user') return asked.message.includes(message.trim()) ? old : null;
    }
    return null;
  }

  /** The files that the run wants to send to the chat in the turn, in order, each content once. */
  async findFiles(turn: Turn): Promise<TurnFile[]> {
    const run = await this.findRun(turn);
    const texts = run === null ? [] : await this.repository.findAttachments(run, turn.sinceSeq);
    const files = texts.flatMap((text) => fileOf(text) ?? []);
    return files.filter(({ digest }, at) => at === files.findIndex((file) => file.digest === digest));
  }

  /** The last thing that the agent said to people in a run, after their last message; null for nothing. */
  async findAnswer(ids: Pick<Turn, 'threadId' | 'traceId' | 'agentId'>): Promise<string | null> {
    const run = await this.findRun(ids);
    const lists = run && (await this.repository.findLastLists(run, 0));
    if (!lists) return null;
    for await (const { drafts } of this.backwards(run.thread_pk, parseRanges(lists.history))) {
      const said = assistantText(drafts);
      if (said !== '') return said;
      if (drafts.some(({ kind }) => kind === 'user')) return null;
    }
    return null;
  }

  /** The last thing that somebody asked in a run; null if unknown. */
  async findLastAsked(run: RunRow): Promise<string | null> {
    const lists = await this.repository.findLastLists(run, 0);
    if (!lists) return null;
    for await (const { drafts } of this.backwards(run.thread_pk, parseRanges(lists.history))) {
      const asked = drafts.find(({ kind }) => kind === 'user');
      if (asked?.kind === 'user' && asked.message.trim() !== '') return asked.message;
    }
    return null;
  }

  /** The messages at these places, the last first. */
  private async *backwards(
    threadPk: number,
    places: readonly Range[],
  ): AsyncGenerator<{ place: number; drafts: readonly LogDraft[] }> {
    const { history } = this.elements.of(threadPk);
    for (let end = countPlaces(places); end > 0; end -= CHUNK) {
      const chunk = placesAt(places, [[Math.max(0, end - CHUNK), end - 1]]);
      const read: { place: number; drafts: readonly LogDraft[] }[] = [];
      const numbers = placesOf(chunk);
      for await (const text of history.texts(chunk)) {
        read.push({ place: numbers.next().value ?? 0, drafts: draftsOf(text) });
      }
      yield* read.reverse();
    }
  }
}

function fileOf(text: string): TurnFile | null {
  const data = objectOf(parsedJson(text));
  const [digest, sizeBytes] = [textIn(data, 'digest'), numberIn(data, 'size_bytes')];
  if (digest === null || sizeBytes === null) return null; // an earlier version kept any event of this type
  return {
    ...{ digest, sizeBytes },
    ...{ name: textIn(data, 'name'), mediaType: textIn(data, 'media_type'), caption: textIn(data, 'caption') },
  };
}

function draftsOf(text: string): LogDraft[] {
  if (isTooLargeToShow(text)) return [];
  try {
    return readMessage(parseJson(text));
  } catch {
    return [];
  }
}

function assistantText(drafts: readonly LogDraft[]): string {
  const pieces = drafts.map((draft) => (draft.kind === 'assistant' ? draft.message.trim() : ''));
  return pieces.filter((piece) => piece !== '').join('\n\n');
}
