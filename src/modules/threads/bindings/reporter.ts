import { speaksFor } from '../../../common/bound-agents.js';

/** Who reports or asks: the holder of a token that is bound to agents, or of one that may speak for all. */
export class Reporter {
  /** Names the agents that the token is bound to; null for one that may speak for all. Tokens bound to the same agents are one reporter. */
  readonly binding: string | null;

  /** @param agentIds the only agents that the token may speak for; null for all */
  constructor(private readonly agentIds: readonly string[] | null) {
    this.binding = agentIds && JSON.stringify([...new Set(agentIds)].sort());
  }

  /** @param binding as it was stored with a run */
  static of(binding: string | null): Reporter {
    return new Reporter(binding === null ? null : (JSON.parse(binding) as string[]));
  }

  get isBound(): boolean {
    return this.agentIds !== null;
  }

  /** The agent of a token that is bound to a single one; else null. */
  get onlyAgent(): string | null {
    return this.agentIds?.length === 1 ? this.agentIds[0]! : null;
  }

  maySpeakFor(agentId: string): boolean {
    return this.agentIds === null || speaksFor(this.agentIds, agentId);
  }
}

/** Whether a run that somebody may speak for only in the name of his own agents holds steps of this agent, too. */
export function isOpenTo(beganBy: string | null, agentId: string): boolean {
  return Reporter.of(beganBy).maySpeakFor(agentId);
}
