import { Injectable } from '@nestjs/common';
import { DomainError } from '../../common/domain-error.js';
import type { AskedCall } from './hook-events.js';

/** A chat in which people are asked, too. */
export interface HookChat {
  channelId: string;
  chatId: string;
}

/** Asks people in chats on behalf of a hook's agent. */
export interface ChatAsker {
  /** Whether the agent is bound to the channel, and somebody who may decide has written in the chat. */
  mayAsk(chat: HookChat, agentId: string): Promise<boolean>;

  /** Shows the approval in the chat, with buttons, and later its outcome. Safe to repeat. */
  ask(chat: HookChat, agentId: string, asked: Pick<AskedCall, 'threadId' | 'traceId'>): Promise<void>;
}

/** The port through which hooks reach chats; channels depend on hooks, not the reverse. */
@Injectable()
export class HookChatsService {
  private asker: ChatAsker | null = null;

  /** Called once, by the feature that has chats. */
  setAsker(asker: ChatAsker): void {
    this.asker = asker;
  }

  /** @throws DomainError `chat_not_allowed`, which does not reveal what exists */
  async assertAllowed(chat: HookChat, agentId: string): Promise<void> {
    if (await this.asker?.mayAsk(chat, agentId)) return;
    const message =
      'chat_id: the agent must be bound to the channel, and somebody who may decide must have written to the bot in this chat.';
    throw new DomainError('forbidden', 'chat_not_allowed', message);
  }

  async ask(chat: HookChat, agentId: string, asked: AskedCall): Promise<void> {
    await this.asker?.ask(chat, agentId, asked);
  }
}
