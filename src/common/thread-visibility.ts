/** The port through which outer layers learn which threads are visible to a token bound to agents. */
export abstract class ThreadVisibility {
  /**
   * Passes if only these agents and their sub-agents took part in the thread.
   * @throws DomainError `not_found` otherwise, as for a thread that does not exist
   */
  abstract assertVisible(threadId: string, agentIds: readonly string[]): Promise<void>;
}
