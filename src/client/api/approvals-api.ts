import { setTimeout as sleep } from 'node:timers/promises';
import { joinAborts } from '../../common/joined-abort.js';
import { objectOf } from '../../common/json-fields.js';
import { itemsOf, type ApiRequests, type CallOptions, type QueryOf, type Schemas } from './api-requests.js';
import { followEvents, type StreamEvent, type StreamOptions } from './event-follower.js';

const STREAM = '/approvals/stream';

type Approval = Schemas['ApprovalDto'];
type Decision = Schemas['DecisionDto'];

/** Identifies tool calls that wait, or waited, for a person. */
export interface ApprovalAddress {
  trace_id: string;
  /** The step of their checkpoint. */
  step: number;
  /** Only needed if several threads have this trace. */
  thread_id?: string;
}

/** Tool calls that wait for a person. With a token of scope `approver`, `reader` (to look only) or `admin`. */
export class ApprovalsApi {
  constructor(private readonly requests: ApiRequests) {}

  /** One page; without `status`, the pending ones. */
  list(query: QueryOf<'/approvals'> = {}, options: CallOptions = {}): Promise<Schemas['ApprovalListDto']> {
    return this.requests.send('get', '/approvals', { query, ...options });
  }

  each(query: QueryOf<'/approvals'> = {}, options: CallOptions = {}): AsyncGenerator<Approval, void, undefined> {
    return itemsOf((page) => this.list(page, options), query);
  }

  get(address: ApprovalAddress, options: CallOptions = {}): Promise<Approval> {
    return this.requests.send('get', '/approvals/{trace_id}/{step}', { ...placesOf(address), ...options });
  }

  /** @throws ApiProblemError with status 409 if it was decided otherwise, or the calls do not match `digest` */
  approve(
    address: ApprovalAddress,
    decision: Decision = {},
    options: CallOptions = {},
  ): Promise<Schemas['DecidedApprovalDto']> {
    const call = { ...placesOf(address), body: decision, ...options };
    return this.requests.send('post', '/approvals/{trace_id}/{step}/approve', call);
  }

  /** The same as {@link approve} for a rejection. */
  reject(
    address: ApprovalAddress,
    decision: Decision = {},
    options: CallOptions = {},
  ): Promise<Schemas['DecidedApprovalDto']> {
    const call = { ...placesOf(address), body: decision, ...options };
    return this.requests.send('post', '/approvals/{trace_id}/{step}/reject', call);
  }

  /**
   * Answers the questions of calls, and decides each other call.
   * @throws ApiProblemError with status 400 for an answer that a question does not allow; 409 as {@link approve}, or if no call asks
   * questions
   */
  answer(
    address: ApprovalAddress,
    answer: Schemas['AnswerDto'],
    options: CallOptions = {},
  ): Promise<Schemas['DecidedApprovalDto']> {
    const call = { ...placesOf(address), body: answer, ...options };
    return this.requests.send('post', '/approvals/{trace_id}/{step}/answer', call);
  }

  /** `opened`, `reminder`, `closed`, `doubt_opened` and `doubt_closed` events with their records; begins with what is pending. */
  stream(options: Omit<StreamOptions, 'lastEventId'> = {}): AsyncGenerator<StreamEvent, void, undefined> {
    return followEvents(this.requests, { path: STREAM, ...options });
  }

  /**
   * Waits until a person has decided or nobody can any more, even while the server is away.
   * @returns the approval with its outcome as `status`
   * @throws ApiProblemError if there is no such approval; the reason of `signal`
   */
  async wait(address: ApprovalAddress, options: { signal?: AbortSignal } = {}): Promise<Approval> {
    const end = new AbortController();
    const { signal, release } = joinAborts(end.signal, ...(options.signal ? [options.signal] : []));
    const news = this.news(address, signal);
    const patient = { ...options, retries: Infinity, totalTimeoutMs: Infinity };
    let told: Promise<void> | null = null;
    try {
      for (;;) {
        const approval = await this.get(address, patient);
        if (approval.status !== 'pending') return approval;
        told ??= news.next().then(() => {
          told = null;
        });
        await Promise.race([told, sleep(LOOK_MS, null, { signal, ref: false })]);
      }
    } finally {
      end.abort();
      release();
    }
  }

  /** Yields at each stream event about this approval. */
  private async *news(address: ApprovalAddress, signal: AbortSignal): AsyncGenerator<void, void, undefined> {
    for await (const { data } of followEvents(this.requests, { path: STREAM, signal, isPatient: true })) {
      if (objectOf(data)?.trace_id === address.trace_id) yield;
    }
  }
}

/** Also checks at this interval, as the stream does not report a closing before it opened. */
const LOOK_MS = 10_000;

function placesOf({ trace_id, step, thread_id }: ApprovalAddress) {
  return { path: { trace_id, step }, query: { thread_id } };
}
