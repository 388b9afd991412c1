/** What the address of the channels says. */
export interface ChannelsSearch {
  /** The platform of the channel that is being created; absent while none is. */
  create?: string;
}

export function channelsSearch({ create }: Record<string, unknown>): ChannelsSearch {
  return typeof create === 'string' ? { create } : {};
}
