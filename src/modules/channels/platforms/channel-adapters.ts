import { Injectable } from '@nestjs/common';
import { ChannelsConfig } from '../../../config/channels.config.js';
import type { ChannelAdapter } from './channel-adapter.js';
import { PlatformCalls } from './platform-calls.js';
import { CHANNEL_TYPES, PLATFORMS, type ChannelType } from './platforms.js';

/** The adapters of all platforms, ready to call them. */
@Injectable()
export class ChannelAdapters {
  private readonly adapters: ReadonlyMap<ChannelType, ChannelAdapter>;

  constructor({ apiUrls, platformTimeoutMs, proxies }: ChannelsConfig) {
    const calls = new PlatformCalls(platformTimeoutMs, proxies);
    this.adapters = new Map(
      CHANNEL_TYPES.map((type) => [type, PLATFORMS[type].connect(calls, apiUrls[type] ?? PLATFORMS[type].apiUrl)]),
    );
  }

  get(type: ChannelType): ChannelAdapter {
    return this.adapters.get(type)!;
  }
}
