/** Where the API reaches the agents of this process, for their heartbeats. */
export abstract class InvokeAddresses {
  /** Base address of an agent, to which `/invoke` is added; null while this process does not listen yet. */
  abstract endpointOf(agentName: string): string | null;
}
