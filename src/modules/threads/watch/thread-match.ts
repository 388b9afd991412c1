import { speaksFor } from '../../../common/bound-agents.js';
import { foldSearch, foldSearched } from '../../../common/case-folding.js';
import type { ThreadMatch } from '../list/thread-list.query.js';

export interface MatchedThread {
  id: string;
  status: string;
  model: string;
  /** JSON array of agent ids. */
  agents: string;
}

export class ThreadLook {
  private agentIds?: readonly string[];
  private searched?: readonly string[];

  constructor(private readonly thread: MatchedThread) {}

  /** Whether the list would show the thread with these filters. */
  passes({ statuses, agentId, model, search }: ThreadMatch): boolean {
    if (statuses.length > 0 && !statuses.includes(this.thread.status)) return false;
    if (model !== null && this.thread.model !== model) return false;
    if (agentId !== null && !this.hasAgent(agentId)) return false;
    return search === null || this.contains(foldSearch(search));
  }

  /** Whether only these agents, each with its sub-agents, took part. */
  isOnlyOf(agentIds: readonly string[]): boolean {
    return this.agents.every((agentId) => speaksFor(agentIds, agentId));
  }

  hasAgent(agentId: string): boolean {
    return this.agents.includes(agentId);
  }

  private get agents(): readonly string[] {
    return (this.agentIds ??= JSON.parse(this.thread.agents) as string[]);
  }

  private contains(folded: string): boolean {
    const { id, model } = this.thread;
    this.searched ??= [id, model, ...this.agents].flatMap(foldSearched);
    return this.searched.some((text) => text.includes(folded));
  }
}
