import type { SessionKey, SessionStore, SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import { ApiProblemError, ThreadHistory, WaystationApi, type WaystationApiOptions } from '@waystation/client';

export interface WaystationSessionStoreOptions extends WaystationApiOptions {
  /** The agent named as author; the token must permit it. Default: `claude`. */
  agentId?: string;
  /** Prefix of thread ids; the project and the session follow. Default: `claude:`. */
  threadPrefix?: string;
}

/** A minute without an answer, because the SDK then gives up, too. */
const PATIENCE = { retries: Infinity, totalTimeoutMs: 60_000 };
/** Limit of histories whose content this process remembers. */
const OPEN_LIMIT = 100;
/** The run of the main transcript; the runs of subpaths begin with a slash. */
const MAIN = 'transcript';

/**
 * Stores sessions of the Claude Agent SDK on a Waystation server. A session is a thread; its main transcript is a run in it, and each
 * transcript below (of a sub-agent) is another run: people see them in the console. Entries come back deep-equal, in the order of their
 * calls. An entry whose `uuid` is already in the transcript is not stored again.
 */
export class WaystationSessionStore implements SessionStore {
  private readonly api: WaystationApi;
  private readonly agentId: string;
  private readonly prefix: string;
  private readonly open = new Map<string, ThreadHistory>();

  /** @throws ClientSettingError when the server's address or token is missing or unusable */
  constructor(options: WaystationSessionStoreOptions = {}) {
    const { agentId = 'claude', threadPrefix = 'claude:', ...rest } = options;
    this.api = new WaystationApi({ ...PATIENCE, ...rest });
    this.agentId = agentId;
    this.prefix = threadPrefix;
  }

  /** @throws ApiProblemError when the server refuses the entries, NoAnswerError when it is away too long */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    return this.historyOf(key).append(entries, uuidOf);
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const entries = (await this.historyOf(key).read()) as SessionStoreEntry[] | null;
    // A transcript deleted on its own is empty.
    return entries === null || entries.length === 0 ? null : entries;
  }

  async listSessions(projectKey: string): Promise<{ sessionId: string; mtime: number }[]> {
    const prefix = this.projectPrefix(projectKey);
    const sessions: { sessionId: string; mtime: number }[] = [];
    for await (const { thread_id, updated_at } of this.api.runners.eachThread({ prefix, limit: 200 })) {
      const sessionId = decodeURIComponent(thread_id.slice(prefix.length));
      sessions.push({ sessionId, mtime: Date.parse(updated_at) });
    }
    return sessions;
  }

  /** Deletes the whole session, or the transcript of a subpath. Missing ones count as deleted. */
  async delete(key: SessionKey): Promise<void> {
    if (key.subpath !== undefined) return this.historyOf(key).clear();
    const threadId = this.threadOf(key);
    for (const name of this.open.keys()) if (name.startsWith(`${threadId}\n`)) this.open.delete(name);
    await this.api.runners.deleteThread(threadId).catch(unlessUnknown);
  }

  async listSubkeys(key: { projectKey: string; sessionId: string }): Promise<string[]> {
    const subpaths: string[] = [];
    try {
      for await (const { trace_id, status } of this.api.runners.eachRun(this.threadOf(key), { limit: 200 })) {
        if (trace_id.startsWith('/') && status !== 'cleared') subpaths.push(trace_id.slice(1));
      }
    } catch (error) {
      unlessUnknown(error);
    }
    return subpaths;
  }

  private historyOf(key: SessionKey): ThreadHistory {
    const thread_id = this.threadOf(key);
    const trace_id = key.subpath === undefined ? MAIN : `/${key.subpath}`;
    const name = `${thread_id}\n${trace_id}`;
    const parent_trace_id = key.subpath === undefined ? undefined : MAIN;
    const address = { thread_id, trace_id, parent_trace_id, agent_id: this.agentId };
    const history = this.open.get(name) ?? new ThreadHistory(this.api.runners, address);
    // Least recently used first.
    this.open.delete(name);
    this.open.set(name, history);
    const [oldest] = this.open.keys();
    if (this.open.size > OPEN_LIMIT && oldest !== undefined) this.open.delete(oldest);
    return history;
  }

  private threadOf({ projectKey, sessionId }: { projectKey: string; sessionId: string }): string {
    return this.projectPrefix(projectKey) + encodeURIComponent(sessionId);
  }

  private projectPrefix(projectKey: string): string {
    return `${this.prefix}${encodeURIComponent(projectKey)}:`;
  }
}

function uuidOf(entry: unknown): string | undefined {
  return (entry as SessionStoreEntry).uuid;
}

function unlessUnknown(error: unknown): void {
  if (!(error instanceof ApiProblemError && error.isFromServer && error.status === 404)) throw error;
}
