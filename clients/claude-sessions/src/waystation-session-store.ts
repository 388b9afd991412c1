import type { SessionKey, SessionStore, SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import { ApiProblemError, ThreadHistory, WaystationApi, type WaystationApiOptions } from '@waystation/client';

export interface WaystationSessionStoreOptions extends WaystationApiOptions {
  /** The agent that the server names as the author; the token must be for it. Default: `claude`. */
  agentId?: string;
  /** Threads are this, followed by the project and the session. Default: `claude:`. */
  threadPrefix?: string;
}

/** A minute without an answer; the SDK itself gives up after that. */
const PATIENCE = { retries: Infinity, totalTimeoutMs: 60_000 };
/** Histories of which this process remembers what they hold. */
const OPEN_LIMIT = 100;
/** The run of the main transcript; those of subpaths begin with a slash. */
const MAIN = 'transcript';

/**
 * A store for the sessions of the Claude Agent SDK on a Waystation server. A session is a thread, its main transcript a run in it, and each
 * transcript below it (of a sub-agent) another run: people see them in the console. Entries come back deep-equal and in the order of their
 * calls. An entry whose `uuid` the transcript has already is not stored again.
 */
export class WaystationSessionStore implements SessionStore {
  private readonly api: WaystationApi;
  private readonly agentId: string;
  private readonly prefix: string;
  private readonly open = new Map<string, ThreadHistory>();

  /** @throws ClientSettingError when the address or the token of the server is missing or unusable */
  constructor(options: WaystationSessionStoreOptions = {}) {
    const { agentId = 'claude', threadPrefix = 'claude:', ...rest } = options;
    this.api = new WaystationApi({ ...PATIENCE, ...rest });
    this.agentId = agentId;
    this.prefix = threadPrefix;
  }

  /** @throws ApiProblemError when the server refuses the entries, NoAnswerError when it is away for long */
  append(key: SessionKey, entries: SessionStoreEntry[]): Promise<void> {
    return this.historyOf(key).append(entries, uuidOf);
  }

  async load(key: SessionKey): Promise<SessionStoreEntry[] | null> {
    const entries = (await this.historyOf(key).read()) as SessionStoreEntry[] | null;
    // A transcript that was deleted alone is an empty one.
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

  /** Without a subpath the whole session, otherwise that transcript. What does not exist is deleted already. */
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
    // The one that was used longest ago comes first.
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
  if (!(error instanceof ApiProblemError && error.status === 404)) throw error;
}
