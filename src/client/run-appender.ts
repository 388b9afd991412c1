import { randomUUID } from 'node:crypto';
import { parseExact } from '../common/exact-number.js';
import type { ApiConnection } from './api-connection.js';
import { readBatchResponse } from './batch-response.js';
import { EVENTS_PATH } from './delivery.js';
import { ApiRefusalError, readLatest } from './latest-reader.js';
import type { PatientRequests } from './patient-requests.js';
import type { AppendData, Checkpoint, RunIds } from './report-data.js';

/**
 * Limit of consecutive refusals of the whole list on the same checkpoint; then it is stored without checking for concurrent changes. A
 * single refusal only shows that another process was faster, and the checkpoint read next may not be that process's yet.
 */
const MAX_REFUSALS = 4;

/** Appends messages to the latest checkpoint of a run, whoever reported it, and retries when another process was faster. */
export class RunAppender {
  private readonly id = randomUUID();

  /**
   * @param eventOf the text of the event with this id that reports the checkpoint
   * @param signal ends the wait
   */
  constructor(
    private readonly connection: ApiConnection,
    private readonly requests: PatientRequests,
    private readonly eventOf: (id: string, data: RunIds & AppendData) => string,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /**
   * Resolves when the server has stored the messages. Waits while the server is away.
   * @param data of the checkpoint, with the ids of its run
   * @param mayUseBases whether the server understands bases; without them, a concurrent append goes unnoticed
   * @throws ApiRefusalError when the server refuses the report; the reason of the signal
   */
  async append(messages: readonly unknown[], data: RunIds & AppendData, mayUseBases: boolean): Promise<void> {
    let [tried, triedWhole]: [unknown, unknown] = [undefined, undefined];
    let refusals = 0;
    while (mayUseBases) {
      const latest = await this.latest(data, true);
      const [id, length] = [latest?.event_id ?? null, latest?.history_length ?? 0];
      // No base without an id or messages (a run that begins, or waits), nor if the same id comes again: that is another agent's
      // checkpoint.
      if (typeof id === 'string' && length !== 0 && id !== tried) {
        if (await this.isStored({ ...data, history_base: { id, length, is_latest: true }, history: messages })) return;
        tried = id;
        continue;
      }
      // Repeated refusals: the checkpoint is another agent's, or the server cannot check.
      refusals = id === triedWhole ? refusals + 1 : 0;
      if (refusals === MAX_REFUSALS) break;
      if (await this.isWholeStored(messages, data, id)) return;
      triedWhole = id;
    }
    await this.isStored(await this.wholeData(messages, data));
  }

  /** Stores the whole list if this still is the latest checkpoint. Returns false if not, or if the server cannot check. */
  private async isWholeStored(
    messages: readonly unknown[],
    data: RunIds & AppendData,
    latestId: unknown,
  ): Promise<boolean> {
    const whole = await this.wholeData(messages, data);
    const history_base = { id: latestId, length: 0, is_latest: true };
    try {
      return await this.isStored({ ...whole, history_base });
    } catch (error) {
      // Servers of an earlier version require an id.
      if (latestId === null && error instanceof ApiRefusalError) return false;
      throw error;
    }
  }

  private async wholeData(messages: readonly unknown[], data: RunIds & AppendData): Promise<RunIds & AppendData> {
    const whole = await this.latest(data, false);
    const history = [...(whole?.history ?? []), ...messages];
    const history_meta = [...(whole?.history_meta ?? []), ...(data.history_meta ?? [])];
    return { ...data, history, history_meta };
  }

  private async latest(run: RunIds, isWithoutLists: boolean): Promise<Checkpoint | null> {
    const { thread_id: threadId, trace_id: traceId } = run;
    const response = await this.requests.untilResponse(this.signal, (signal) =>
      readLatest(this.connection, threadId, { traceId, isWithoutLists, isForResume: !isWithoutLists, signal }),
    );
    return response.kind === 'found' ? (parseExact(response.text) as Checkpoint) : null;
  }

  /** False if the base is no longer the latest checkpoint. @throws ApiRefusalError */
  private isStored(data: RunIds & AppendData): Promise<boolean> {
    const body = `{"events":[${this.eventOf(this.id, data)}]}`;
    return this.requests.untilResponse(this.signal, async (signal) => {
      const { status, text } = await this.connection.send(EVENTS_PATH, { method: 'POST', body, signal });
      const verdict = readBatchResponse(status, text, null);
      if (verdict.kind === 'retry') throw new ApiRefusalError(status, verdict.reason);
      const refusal = verdict.kind === 'taken' ? verdict.rejected[0] : verdict;
      if (refusal === undefined) return true;
      if (refusal.code === 'base_mismatch') return false;
      throw new ApiRefusalError(status, `the report was refused (${refusal.code}): ${refusal.detail}`);
    });
  }
}
