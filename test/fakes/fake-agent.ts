import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ApiClient } from '../support/api-client.js';
import { waitFor } from '../support/wait.js';

type Values = Record<string, unknown>;

/** A call of `/invoke` that was taken. */
export interface Invocation {
  runId: string;
  key: string;
  message: string;
  threadId: string;
  context: Values;
  /** The thread's last change before a retry; undefined for a new run. */
  retrySince?: unknown;
}

/** What a run does; the agent's usual one answers with the message. */
export type RunScript = (run: Invocation, agent: FakeAgent) => Promise<void> | void;

/** A run that says nothing and fails. */
export const FAILS: RunScript = async ({ runId: trace_id, threadId: thread_id, message }, agent) => {
  const ids = { thread_id, trace_id, agent_id: agent.name };
  const history = [{ role: 'user', content: message }];
  await agent.report(
    { type: 'thread_started', data: ids },
    { type: 'checkpoint', data: { ...ids, step_index: 0, history } },
    { type: 'thread_error', data: ids },
  );
};

const TOKEN = 'the-invoke-token-of-the-fake-agent';

/** An agent process: takes messages at `/invoke`, knows a key again, and reports its runs through the API. */
export class FakeAgent {
  /** Runs that were begun, in their order. */
  readonly runs: Invocation[] = [];
  /** All calls, also those that began nothing. */
  readonly calls: { key: string; message: string; runId: string }[] = [];
  /** Answers of the next calls; `break` closes the connection once the run is begun, `drop` before. */
  readonly mishaps: (number | 'break' | 'drop')[] = [];
  /** Called with each call, before anything becomes of it. */
  onCall: () => void = () => undefined;
  /** What happens between the begin of a run and the answer that tells of it. */
  beforeReply: RunScript | null = null;
  /** The API that runs are reported to; may move. */
  api: ApiClient | null = null;
  /** For an agent that gives its runs ids of its own. */
  runIdFor: ((run: Omit<Invocation, 'runId'>) => string) | null = null;
  /** Whether it goes on with the run that `retry_of` names; an old agent starts another. */
  knowsRetries = true;
  private isClosed = false;
  private readonly histories = new Map<string, Values[]>();

  private constructor(
    private readonly server: Server,
    readonly name: string,
    public script: RunScript,
  ) {}

  static async start(name = 'support', script: RunScript = answerWithMessage, port = 0): Promise<FakeAgent> {
    const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      // Whoever calls may give up meanwhile.
      agent.take(request, response).catch(() => response.destroy());
    });
    const agent = new FakeAgent(server, name, script);
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
    return agent;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Its runs end with it: another server may soon be where its API was. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.api = null;
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  /** Tells the API where it is. @param queue further members of the heartbeat: what waits in its process */
  async beat(port = this.port, queue: Values = {}): Promise<void> {
    const data = { agent_id: this.name, endpoint: `http://127.0.0.1:${port}`, invoke_token: TOKEN, ...queue };
    await this.report({ type: 'heartbeat', data });
  }

  /** Again and again until the API takes it, as the reporter of a real agent does, or the agent is closed. */
  async report(...events: { type: string; data: Values; id?: string }[]): Promise<void> {
    const body = { events: events.map((event) => ({ id: randomUUID(), ...event })) };
    await waitFor('the API to take a report', async () => {
      const answer = await this.api?.post('/v1/runners/events', body).catch(() => null);
      if (answer && answer.status !== 200 && answer.status < 500) {
        throw new Error(`The report was refused: ${answer.status} ${answer.text}`);
      }
      return this.isClosed || answer?.status === 200;
    });
  }

  /** Reports a whole run that says `text`. */
  async answer({ runId, threadId, message }: Invocation, text: string): Promise<void> {
    const history = [...(this.histories.get(threadId) ?? []), { role: 'user', content: message }];
    const ids = { thread_id: threadId, trace_id: runId, agent_id: this.name };
    const said = [...history, { role: 'assistant', content: text }];
    this.histories.set(threadId, said);
    await this.report(
      { type: 'thread_started', data: ids },
      { type: 'checkpoint', data: { ...ids, step_index: 0, status: 'in_progress', history: said } },
      { type: 'thread_completed', data: ids },
    );
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    if (request.headers.authorization !== `Bearer ${TOKEN}` || request.url !== '/invoke') return reply(response, 401);
    const key = String(request.headers['idempotency-key']);
    const { message, thread_id, run_id, retry_of, retry_since, context } = JSON.parse(
      Buffer.concat(chunks).toString(),
    ) as Values;
    this.calls.push({ key, message: String(message), runId: String(run_id) });
    this.onCall();
    const mishap = this.mishaps.shift();
    if (typeof mishap === 'number') return reply(response, mishap);
    if (mishap === 'drop') return void request.socket.destroy();
    const known = this.runs.find((run) => run.key === key);
    const asked = { key, message: String(message), threadId: String(thread_id), context: (context ?? {}) as Values };
    const isRetry = this.knowsRetries && retry_of !== undefined;
    const runId = isRetry ? String(retry_of) : this.runIdFor?.(asked);
    const run = known ?? { ...asked, runId: runId ?? `run-${randomUUID()}`, retrySince: retry_since };
    if (!known) this.begin(run);
    await this.beforeReply?.(run, this);
    if (mishap === 'break') return void request.socket.destroy();
    reply(response, 202, { run_id: run.runId, status: 'started' });
  }

  private begin(run: Invocation): void {
    this.runs.push(run);
    // A run that fails shows in what the test waits for.
    void Promise.resolve(this.script(run, this)).catch(() => undefined);
  }
}

function answerWithMessage(run: Invocation, agent: FakeAgent): Promise<void> {
  return agent.answer(run, `You said: ${run.message}`);
}

function reply(response: ServerResponse, status: number, body: object = {}): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
