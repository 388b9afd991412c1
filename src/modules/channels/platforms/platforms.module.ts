import { Module } from '@nestjs/common';
import { ChannelAdapters } from './channel-adapters.js';

/** Messaging platforms behind one port. */
@Module({ providers: [ChannelAdapters], exports: [ChannelAdapters] })
export class PlatformsModule {}
