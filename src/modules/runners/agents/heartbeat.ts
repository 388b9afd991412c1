/** What an agent says of itself, every 15 seconds. It belongs to no thread. */
export interface Heartbeat {
  agentId: string;
  /** Base address to which `/invoke` is added; null for an agent that cannot be started from here. */
  endpoint: string | null;
  /** What `/invoke` wants to see: a secret; null for none. */
  invokeToken: string | null;
}
