import { setTimeout as sleep } from 'node:timers/promises';
import { joinAborts } from '../../common/joined-abort.js';
import { objectOf } from '../../common/json-fields.js';
import { itemsOf, type ApiRequests, type CallOptions, type QueryOf, type Schemas } from './api-requests.js';
import { followEvents, type StreamEvent, type StreamOptions } from './event-follower.js';

const STREAM = '/approvals/stream';

type Approval = Schemas['ApprovalDto'];
type Decision = Schemas['DecisionDto'];

/** Names the calls that wait, or waited, for a person. */
export interface ApprovalAddress {
  trace_id: string;
  /** The step of their checkpoint. */
  step: number;
  /** Only needed where several threads have this trace. */
  thread_id?: string;
}

/** Tool calls that wait for a person. With a token of scope `approver`, `reader` (to look only) or `admin`. */
export class ApprovalsApi {
  constructor(private readonly requests: ApiRequests) {}

  /** One page; without `status` those that wait. */
  list(query: QueryOf<'/approvals'> = {}, options: CallOptions = {}): Promise<Schemas['ApprovalListDto']> {
    return this.requests.send('get', '/approvals', { query, ...options });
  }

  each(query: QueryOf<'/approvals'> = {}, options: CallOptions = {}): AsyncGenerator<Approval, void, undefined> {
    return itemsOf((page) => this.list(page, options), query);
  }

  get(address: ApprovalAddress, options: CallOptions = {}): Promise<Approval> {
    return this.requests.send('get', '/approvals/{trace_id}/{step}', { ...placesOf(address), ...options });
  }

  /** @throws ApiProblemError with status 409 where it was decided otherwise, or the calls are not those of `digest` */
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
   * Answers the questions of calls, with a decision on each other call.
   * @throws ApiProblemError with status 400 for an answer that a question does not allow, 409 as {@link approve} and where no call asks
   */
  answer(
    address: ApprovalAddress,
    answer: Schemas['AnswerDto'],
    options: CallOptions = {},
  ): Promise<Schemas['DecidedApprovalDto']> {
    const call = { ...placesOf(address), body: answer, ...options };
    return this.requests.send('post', '/approvals/{trace_id}/{step}/answer', call);
  }

  /** `opened`, `reminder` and `closed`, `doubt_opened` and `doubt_closed`, each with the record; begins with what waits. */
  stream(options: Omit<StreamOptions, 'lastEventId'> = {}): AsyncGenerator<StreamEvent, void, undefined> {
    return followEvents(this.requests, { path: STREAM, ...options });
  }

  /**
   * Waits until a person has decided, or nobody can any more, however long the server is away.
   * @returns the approval; `status` says what became of it
   * @throws ApiProblemError where there is no such approval; the reason of `signal`
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

  /** What the stream tells of this approval. */
  private async *news(address: ApprovalAddress, signal: AbortSignal): AsyncGenerator<void, void, undefined> {
    for await (const { data } of followEvents(this.requests, { path: STREAM, signal, isPatient: true })) {
      if (objectOf(data)?.trace_id === address.trace_id) yield;
    }
  }
}

/** The stream tells of what closes after it has opened; what closed at that very moment shows at the next look. */
const LOOK_MS = 10_000;

function placesOf({ trace_id, step, thread_id }: ApprovalAddress) {
  return { path: { trace_id, step }, query: { thread_id } };
}
