import { randomUUID } from 'node:crypto';
import type {
  AgentInputItem,
  Session,
  SessionHistoryRewriteArgs,
  SessionHistoryRewriteAwareSession,
} from '@openai/agents-core';
import { ThreadHistory, WaystationApi, type WaystationApiOptions } from '@waystation/client';

export interface WaystationSessionOptions extends WaystationApiOptions {
  /** The session to continue. Default: a new one. */
  sessionId?: string;
  /** The agent named as author; the token must permit it. Default: `openai-agents`. */
  agentId?: string;
  /** Prefix of thread ids; the session's id follows. Default: `openai-agents:`. */
  threadPrefix?: string;
}

/** A minute without an answer; then the call fails. */
const PATIENCE = { retries: Infinity, totalTimeoutMs: 60_000 };

/**
 * A session of the OpenAI Agents SDK stored on a Waystation server, as the history of a thread that people see in the console.
 * Any number of processes may share a session; each one's items stay in order, and nothing is lost or stored twice.
 * Items come back as JSON represents them.
 */
export class WaystationSession implements Session, SessionHistoryRewriteAwareSession {
  /** The thread on the server. */
  readonly threadId: string;
  private readonly sessionId: string;
  private readonly history: ThreadHistory;

  /** @throws ClientSettingError when the server's address or token is missing or unusable */
  constructor(options: WaystationSessionOptions = {}) {
    const { sessionId = randomUUID(), agentId = 'openai-agents', threadPrefix = 'openai-agents:', ...rest } = options;
    this.sessionId = sessionId;
    this.threadId = threadPrefix + sessionId;
    const { runners } = new WaystationApi({ ...PATIENCE, ...rest });
    this.history = new ThreadHistory(runners, { thread_id: this.threadId, trace_id: 'session', agent_id: agentId });
  }

  getSessionId(): Promise<string> {
    return Promise.resolve(this.sessionId);
  }

  /** @param limit number of the last items */
  async getItems(limit?: number): Promise<AgentInputItem[]> {
    if (limit !== undefined && limit <= 0) return [];
    const items = ((await this.history.read()) ?? []) as AgentInputItem[];
    return limit === undefined ? items : items.slice(-limit);
  }

  /** @throws ApiProblemError when the server refuses them, NoAnswerError when it is away too long */
  addItems(items: AgentInputItem[]): Promise<void> {
    return this.history.append(items);
  }

  async popItem(): Promise<AgentInputItem | undefined> {
    let popped: unknown;
    await this.history.edit((items) => {
      popped = items.at(-1);
      return items.length === 0 ? null : { keep: items.length - 1, add: [] };
    });
    return popped as AgentInputItem | undefined;
  }

  clearSession(): Promise<void> {
    return this.history.clear();
  }

  /** Replaces function calls with the same `callId`, in one step. */
  applyHistoryMutations({ mutations }: SessionHistoryRewriteArgs): Promise<void> {
    return this.history.edit((items) => {
      const changed = mutations.reduce(
        (list, { callId, replacement }) => replaced(list, callId, replacement),
        items as AgentInputItem[],
      );
      const keep = changed.findIndex((item, index) => item !== items[index]);
      if (keep === -1 && changed.length === items.length) return null;
      const from = keep === -1 ? changed.length : keep;
      return { keep: from, add: changed.slice(from) };
    });
  }
}

/** The first call with this id is replaced; further ones are removed. */
function replaced(items: AgentInputItem[], callId: string, replacement: AgentInputItem): AgentInputItem[] {
  const isCall = (item: AgentInputItem) => item.type === 'function_call' && item.callId === callId;
  const first = items.findIndex(isCall);
  return items.flatMap((item, index) => {
    if (!isCall(item)) return [item];
    return index === first ? [replacement] : [];
  });
}
