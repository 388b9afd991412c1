import { speaksFor } from '../../../common/bound-agents.js';

/** The holder of a token, which is bound to some agents or speaks for all. */
export class Reporter {
  /** The agents that the token is bound to, as sorted JSON; null for all. Tokens bound to the same agents are one reporter. */
  readonly binding: string | null;
  /** Cached by agent: a thread may have thousands, and each event of a batch asks about all of them. */
  private readonly answers = new Map<string, boolean>();

  /** @param agentIds the only agents that the token may speak for; null for all */
  constructor(private readonly agentIds: readonly string[] | null) {
    this.binding = agentIds && JSON.stringify([...new Set(agentIds)].sort());
  }

  /** @param binding as stored with a run */
  static of(binding: string | null): Reporter {
    return new Reporter(binding === null ? null : (JSON.parse(binding) as string[]));
  }

  get isBound(): boolean {
    return this.agentIds !== null;
  }

  /** The agent of a token that is bound to a single one; otherwise null. */
  get onlyAgent(): string | null {
    return this.agentIds?.length === 1 ? this.agentIds[0]! : null;
  }

  maySpeakFor(agentId: string): boolean {
    if (this.agentIds === null) return true;
    const known = this.answers.get(agentId);
    if (known !== undefined) return known;
    const may = speaksFor(this.agentIds, agentId);
    this.answers.set(agentId, may);
    return may;
  }
}

/** Whether a run with this binding may hold steps of this agent. */
export function isOpenTo(beganBy: string | null, agentId: string): boolean {
  return Reporter.of(beganBy).maySpeakFor(agentId);
}
