import { randomUUID } from 'node:crypto';
import { ApiConnection } from '../api-connection.js';
import { connectionSettings } from '../client-settings.js';
import { ApiRequests, itemsOf, type CallOptions, type QueryOf, type Schemas } from './api-requests.js';
import { problemOf } from './api-errors.js';
import { ApprovalsApi } from './approvals-api.js';
import { ChannelsApi } from './channels-api.js';
import { HooksApi } from './hooks-api.js';
import { NoticesApi } from './notices-api.js';
import { EffectsApi, LeasesApi, RunnersApi, RunsApi } from './runners-api.js';
import { StatesApi } from './states-api.js';
import { ThreadsApi } from './threads-api.js';

export { ExactNumber, parseExact, stringifyExact } from '../../common/exact-number.js';
export { type GivenRun, givenRun } from '../client-settings.js';
export { ApiProblemError, NoAnswerError, type ProblemDetails } from './api-errors.js';
export type { CallOptions, QueryOf, Schemas } from './api-requests.js';
export type { ApprovalAddress, ApprovalsApi } from './approvals-api.js';
export { callDecisions, type CallDecision } from './call-decisions.js';
export type { ChannelsApi } from './channels-api.js';
export type { StreamEvent, StreamOptions } from './event-follower.js';
export type { HookInput, HooksApi } from './hooks-api.js';
export type { components, operations, paths } from './openapi.gen.js';
export type { NoticesApi } from './notices-api.js';
export type { EffectsApi, LeasesApi, RunAddress, RunnersApi, RunOrder, RunsApi } from './runners-api.js';
export type { StateAddress, StatesApi } from './states-api.js';
export { bytesOf, type Serialized } from './state-store.js';
export type { StateSearch } from './state-store.js';
export { StateStore } from './state-store.js';
export type {
  EventsBeside,
  KnownValues,
  NeededAncestors,
  OwnState,
  OwnValue,
  OwnWrites,
  StatePlace,
} from './state-store.js';
export {
  type AllowedDecision,
  type ApprovalFeature,
  type CallQuestion,
  type OpenQuestions,
  type Question,
  callIdsOf,
  toolCall,
} from './questions.js';
export { type ReportedStep, StepReporter } from './step-reporter.js';
export { type HistoryAddress, type HistoryChange, ThreadHistory } from './thread-history.js';
export type { ThreadsApi } from './threads-api.js';

export interface WaystationApiOptions {
  /**
   * Base address of the API server. Default: `WAYSTATION_API_URL`, else the running server of `WAYSTATION_HOME`, else
   * `http://127.0.0.1:8000`.
   */
  apiUrl?: string;
  /** A token; its scope says which calls it may make. Default: `WAYSTATION_TOKEN`, or the content of the file `WAYSTATION_TOKEN_FILE`. */
  token?: string;
  /** Milliseconds for each try of a request, except streams. Default: 30,000. */
  timeoutMs?: number;
  /** How often to retry a repeatable request when no server answers or it is busy. Default: 2. */
  retries?: number;
  /** Milliseconds for all tries of a request and the pauses between them. Default: no limit. */
  totalTimeoutMs?: number;
}

/**
 * The API for programs, with the types of its OpenAPI document. Each call throws `ApiProblemError` when the server refuses it, and
 * `NoAnswerError` when none answers. Numbers beyond JavaScript's precision, such as 9007199254740993, arrive as `ExactNumber` and are
 * sent with all their digits.
 */
export class WaystationApi {
  readonly threads: ThreadsApi;
  readonly runs: RunsApi;
  readonly approvals: ApprovalsApi;
  readonly agents: AgentsApi;
  readonly runners: RunnersApi;
  readonly effects: EffectsApi;
  readonly leases: LeasesApi;
  readonly states: StatesApi;
  readonly channels: ChannelsApi;
  readonly hooks: HooksApi;
  readonly notices: NoticesApi;
  readonly tokens: TokensApi;
  private readonly requests: ApiRequests;

  /** @throws ClientSettingError when the address or the token is missing or unusable; no request is sent */
  constructor(options: WaystationApiOptions = {}) {
    const { api, token } = connectionSettings(options);
    const { timeoutMs = 30_000, retries = 2, totalTimeoutMs = Infinity } = options;
    this.requests = new ApiRequests(new ApiConnection(api, token), { timeoutMs, retries, totalTimeoutMs });
    this.threads = new ThreadsApi(this.requests);
    this.runs = new RunsApi(this.requests);
    this.approvals = new ApprovalsApi(this.requests);
    this.agents = new AgentsApi(this.requests);
    this.runners = new RunnersApi(this.requests);
    this.effects = new EffectsApi(this.requests);
    this.leases = new LeasesApi(this.requests);
    this.states = new StatesApi(this.requests);
    this.channels = new ChannelsApi(this.requests);
    this.hooks = new HooksApi(this.requests);
    this.notices = new NoticesApi(this.requests);
    this.tokens = new TokensApi(this.requests);
  }

  /** Runs, tokens and costs over a period. With scope `reader` or `admin`. */
  stats(query: QueryOf<'/v1/stats'> = {}, options: CallOptions = {}): Promise<Schemas['StatsDto']> {
    return this.requests.send('get', '/v1/stats', { query, ...options });
  }

  /** The server: its instances, storage, queues, and what needs attention. With scope `reader` or `admin`. */
  system(options: CallOptions = {}): Promise<Schemas['SystemDto']> {
    return this.requests.send('get', '/v1/system', options);
  }

  health(options: CallOptions = {}): Promise<Schemas['HealthResponseDto']> {
    return this.requests.send('get', '/health', options);
  }

  /** Resolves if the server can serve requests; throws if not. */
  ready(options: CallOptions = {}): Promise<Schemas['ReadinessResponseDto']> {
    return this.requests.send('get', '/health/ready', options);
  }

  /** Metrics in Prometheus text format. */
  async metrics(options: CallOptions = {}): Promise<string> {
    const { status, text } = await this.requests.responseTo('get', '/metrics', options);
    if (status !== 200) throw problemOf(status, text);
    return text;
  }
}

/** The agents that the server knows. */
export class AgentsApi {
  constructor(private readonly requests: ApiRequests) {}

  list(query: QueryOf<'/v1/agents'> = {}, options: CallOptions = {}): Promise<Schemas['AgentListResponseDto']> {
    return this.requests.send('get', '/v1/agents', { query, ...options });
  }

  each(
    query: QueryOf<'/v1/agents'> = {},
    options: CallOptions = {},
  ): AsyncGenerator<Schemas['AgentResponseDto'], void, undefined> {
    return itemsOf((page) => this.list(page, options), query);
  }

  /**
   * Starts a run; with `thread_id`, in that thread. With scope `admin`.
   * @param options `idempotencyKey`: calls with the same key start one run. Default: a new key, so that retries start only one
   */
  invoke(
    agentId: string,
    task: Schemas['InvokeAgentDto'],
    options: CallOptions & { idempotencyKey?: string } = {},
  ): Promise<Schemas['InvokedRunDto']> {
    const { idempotencyKey = randomUUID(), ...rest } = options;
    return this.requests.send('post', '/v1/agents/{agent_id}/invoke', {
      path: { agent_id: agentId },
      body: task,
      headers: { 'idempotency-key': idempotencyKey },
      isRepeatable: true,
      ...rest,
    });
  }
}

/** Access tokens. With scope `admin`; a `runner` may create narrower ones. */
export class TokensApi {
  constructor(private readonly requests: ApiRequests) {}

  list(query: QueryOf<'/v1/tokens'> = {}, options: CallOptions = {}): Promise<Schemas['TokenListResponseDto']> {
    return this.requests.send('get', '/v1/tokens', { query, ...options });
  }

  /** The permissions of the client's own token. With any scope. */
  self(options: CallOptions = {}): Promise<Schemas['OwnTokenResponseDto']> {
    return this.requests.send('get', '/v1/tokens/self', options);
  }

  /** Only this response contains the token itself. */
  create(token: Schemas['CreateTokenDto'], options: CallOptions = {}): Promise<Schemas['CreatedTokenResponseDto']> {
    return this.requests.send('post', '/v1/tokens', { body: token, ...options });
  }

  /**
   * Takes effect at once. The token's console sessions end too, and the tokens that a `runner` token created. Those that an `admin` token
   * created stay valid, with their console sessions.
   * @param options `withChildren`: also revokes all tokens created with this one, directly or indirectly, which ends their console
   * sessions. Works only for callers of scope `admin`. Default: false
   */
  revoke(id: string, options: CallOptions & { withChildren?: boolean } = {}): Promise<void> {
    const { withChildren = false, ...rest } = options;
    const query = { with_children: withChildren ? ('true' as const) : ('false' as const) };
    return this.requests.send('delete', '/v1/tokens/{id}', { path: { id }, query, ...rest });
  }
}
