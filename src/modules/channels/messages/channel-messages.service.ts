import { Injectable } from '@nestjs/common';
import { decodeCursor, toPage, type Page } from '../../../common/pagination.js';
import { channelNotFound } from '../accounts/channels.errors.js';
import { ChannelsRepository } from '../accounts/channels.repository.js';
import type { ChannelMessage } from './channel-message.entity.js';
import { ChannelMessagesRepository, type MessageFilter } from './channel-messages.repository.js';

const LIST = 'channel messages';

/** The message log of a channel. */
@Injectable()
export class ChannelMessagesService {
  constructor(
    private readonly channels: ChannelsRepository,
    private readonly repository: ChannelMessagesRepository,
  ) {}

  /** The newest first. @throws DomainError `not_found`; `invalid` for a cursor of another list */
  async list(
    channelId: string,
    filter: MessageFilter,
    limit: number,
    cursor: string | null,
  ): Promise<Page<ChannelMessage>> {
    if ((await this.channels.find(channelId)) === null) throw channelNotFound();
    const before = cursor === null ? null : Number(decodeCursor(LIST, cursor, ['integer'])[0]);
    const rows = await this.repository.list(channelId, filter, before, limit + 1);
    return toPage(rows, limit, LIST, ({ seq }) => [seq]);
  }

  count(channelId: string, filter: MessageFilter): Promise<number> {
    return this.repository.count(channelId, filter);
  }
}
