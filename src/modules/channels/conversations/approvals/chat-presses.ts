import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Clock } from '../../../../common/clock.js';
import { Logger } from '../../../../common/logger.js';
import type { OpenChannel } from '../../accounts/channel-accounts.service.js';
import { ChannelAdapters } from '../../platforms/channel-adapters.js';
import type { ChannelMessage } from '../../messages/channel-message.entity.js';
import type { PressPayload } from '../../messages/inbound-payload.js';
import { GroupCommit } from '../../../../queue/group-commit.js';
import { ChatApprovalsRepository } from './chat-approvals.repository.js';

/** What is done about a press, and said to who pressed. */
export interface PressVerdict {
  status: 'done' | 'dropped';
  /** For the message log; null where it decided. */
  reason: string | null;
  answer: string;
}

/** Presses of one chat that are looked after at a time. */
export const PRESS_BATCH = 20;

/** Presses of buttons, as rows of the inbox. */
@Injectable()
export class ChatPresses implements OnModuleDestroy {
  private readonly stop = new AbortController();
  private readonly answers = new Set<Promise<void>>();

  constructor(
    private readonly repository: ChatApprovalsRepository,
    private readonly adapters: ChannelAdapters,
    private readonly group: GroupCommit,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {}

  async onModuleDestroy(): Promise<void> {
    this.stop.abort();
    await Promise.all(this.answers);
  }

  waiting(channelId: string, chatId: string): Promise<ChannelMessage[]> {
    return this.repository.presses(channelId, chatId, PRESS_BATCH);
  }

  /** Null where it is of another channel, or none. Whoever presses its button has seen it. */
  async findQuestion(press: ChannelMessage, questionId: string): Promise<ChannelMessage | null> {
    const question = await this.repository.findQuestion(press.channel_id, questionId);
    const { external_id: externalId } = press;
    if (question?.status === 'unknown' && externalId !== null) {
      await this.group.run((session) => this.repository.noteSeen(session, question, externalId, this.clock.nowMs()));
    }
    return question;
  }

  /** Writes down what was done; the platform hears of it beside that, as it bears no waiting and matters to nobody later. */
  async close(open: OpenChannel, press: ChannelMessage, { status, reason, answer }: PressVerdict): Promise<void> {
    await this.group.run((session) => this.repository.closePress(session, press, status, reason, this.clock.nowMs()));
    const { press_id: pressId } = JSON.parse(press.payload ?? '{}') as PressPayload;
    const answering = this.answer(open, pressId, answer).finally(() => this.answers.delete(answering));
    this.answers.add(answering);
  }

  private async answer({ channel, account }: OpenChannel, pressId: string, text: string): Promise<void> {
    try {
      await this.adapters.get(channel.channel_type).answerPress(account, pressId, text, this.stop.signal);
    } catch (error) {
      this.logger.warn({ err: error, channel_id: channel.id }, 'press not answered');
    }
  }
}
