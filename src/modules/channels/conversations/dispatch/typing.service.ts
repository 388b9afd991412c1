import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Logger } from '../../../../common/logger.js';
import { ThreadTurnsService, type Turn } from '../../../threads/turns/thread-turns.service.js';
import { ChannelAccountsService, type OpenChannel } from '../../accounts/channel-accounts.service.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';

/** Chats beyond this number show no indicator: typing is a courtesy and must not take resources from answers. */
const MAX_SHOWN = 500;
/** Twice the time between two looks at a run: after that, another instance follows the run and shows it. */
const SHOWN_MS = 60_000;

interface Shown {
  timer: NodeJS.Timeout;
  message: ChannelMessage;
  turn: Turn;
  untilMs: number;
}

/** Shows in chats that an agent is working, until its run ends or waits for a person. */
@Injectable()
export class TypingService implements OnModuleDestroy {
  private readonly shown = new Map<string, Shown>();
  private readonly stop = new AbortController();

  constructor(
    private readonly accounts: ChannelAccountsService,
    private readonly turns: ThreadTurnsService,
    private readonly logger: Logger,
  ) {}

  onModuleDestroy(): void {
    this.stop.abort();
    for (const { timer } of this.shown.values()) clearInterval(timer);
  }

  /** Starts or extends the indicator. */
  show({ adapter: { typingIntervalMs } }: OpenChannel, message: ChannelMessage, turn: Turn): void {
    const untilMs = performance.now() + SHOWN_MS;
    const known = this.shown.get(message.id);
    if (known) return void (known.untilMs = untilMs);
    if (typingIntervalMs === 0 || this.shown.size >= MAX_SHOWN || this.stop.signal.aborted) return;
    const timer = setInterval(() => void this.beat(message.id), typingIntervalMs).unref();
    this.shown.set(message.id, { timer, message, turn, untilMs });
    void this.beat(message.id);
  }

  hide({ id }: Pick<ChannelMessage, 'id'>): void {
    clearInterval(this.shown.get(id)?.timer);
    this.shown.delete(id);
  }

  private async beat(messageId: string): Promise<void> {
    const shown = this.shown.get(messageId);
    if (!shown) return;
    const { message, turn, untilMs } = shown;
    try {
      const state = await this.turns.findState(turn);
      // The next event wakes the session, which shows it again if needed.
      if (state?.ending || state?.isWaiting || performance.now() > untilMs) return this.hide(message);
      const chat = { chatId: message.chat_id ?? '', topic: message.topic };
      // Read again: the channel's token may have changed, or the channel may be gone.
      const { account, adapter } = await this.accounts.get(message.channel_id);
      await adapter.showTyping(account, chat, message.external_id ?? '', this.stop.signal);
    } catch (error) {
      this.logger.debug({ err: error, message_id: messageId }, 'typing indicator not sent');
      this.hide(message);
    }
  }
}
