import type { Platform } from './platform.js';
import { SLACK } from './slack/slack.adapter.js';
import { TELEGRAM } from './telegram/telegram.adapter.js';
import { WHATSAPP } from './whatsapp/whatsapp.adapter.js';

/** All platforms by channel type, listed only here. docs/where-to-add-things.md lists what a new one needs. */
export const PLATFORMS = { telegram: TELEGRAM, whatsapp: WHATSAPP, slack: SLACK } satisfies Record<string, Platform>;

export type ChannelType = keyof typeof PLATFORMS;

export const CHANNEL_TYPES = Object.keys(PLATFORMS) as ChannelType[];
