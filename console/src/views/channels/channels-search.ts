/** The query parameters of the channels' address. */
export interface ChannelsSearch {
  /** The platform of the channel being created; absent if none is. */
  create?: string;
}

export function channelsSearch({ create }: Record<string, unknown>): ChannelsSearch {
  return typeof create === 'string' ? { create } : {};
}
