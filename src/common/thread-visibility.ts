/** The port through which the layers around the routes learn which threads a reader sees whose token is bound to agents. */
export abstract class ThreadVisibility {
  /**
   * Passes if only these agents and their sub-agents took part in the thread.
   * @throws DomainError `not_found` otherwise, as for a thread that is not there
   */
  abstract assertVisible(threadId: string, agentIds: readonly string[]): Promise<void>;
}
