import { Injectable } from '@nestjs/common';
import { ChannelsConfig } from '../../../config/channels.config.js';
import { SlackAdapter } from './slack/slack.adapter.js';
import { TelegramAdapter } from './telegram/telegram.adapter.js';
import { WhatsappAdapter } from './whatsapp/whatsapp.adapter.js';
import type { ChannelAdapter, ChannelType } from './channel-adapter.js';
import { PlatformCalls } from './platform-calls.js';

/** The adapters of all platforms: the only place that knows which there are. */
@Injectable()
export class ChannelAdapters {
  private readonly adapters: Readonly<Record<ChannelType, ChannelAdapter>>;

  constructor(config: ChannelsConfig) {
    const calls = new PlatformCalls(config.platformTimeoutMs);
    this.adapters = {
      telegram: new TelegramAdapter(calls, config.telegramApiUrl),
      whatsapp: new WhatsappAdapter(calls, config.whatsappApiUrl),
      slack: new SlackAdapter(calls, config.slackApiUrl),
    };
  }

  get(type: ChannelType): ChannelAdapter {
    return this.adapters[type];
  }

  all(): readonly ChannelAdapter[] {
    return Object.values(this.adapters);
  }
}
