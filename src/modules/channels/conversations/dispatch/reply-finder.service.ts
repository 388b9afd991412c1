import { Injectable } from '@nestjs/common';
import { joinAborts } from '../../../../common/joined-abort.js';
import { Logger } from '../../../../common/logger.js';
import { timeLimit } from '../../../../common/time-limit.js';
import { ChannelsConfig } from '../../../../config/channels.config.js';
import type { MessagePayload } from '../../messages/channel-message.entity.js';
import { withReply } from '../../messages/message-context.js';
import { canFind } from '../../platforms/channel-adapter.js';
import type { RepliedMessage } from '../../platforms/inbound-update.js';
import type { SessionTurn } from './session-turn.js';

/** A person waits for the answer. */
const TIMEOUT_MS = 3_000;

/** Asks the platform for a message that was replied to, if neither the update nor the log has it. */
@Injectable()
export class ReplyFinderService {
  constructor(
    private readonly config: ChannelsConfig,
    private readonly logger: Logger,
  ) {}

  /**
   * Completes what the agent will be told, once, before the first run. Without a response only ids remain.
   * @returns false if another instance has the session
   */
  async complete(turn: SessionTurn, stop: AbortSignal): Promise<boolean> {
    const { payload, since_seq, chat_id } = turn.message;
    const { is_reply_unknown, ...known } = JSON.parse(payload ?? '{}') as MessagePayload;
    const isFirst = Number(since_seq) === 0;
    const messageId = known.context?.reply_to?.message_id ?? null;
    if (!is_reply_unknown || !isFirst || messageId === null || !known.context) return true;
    const found = await this.find(turn, chat_id ?? '', messageId, stop);
    const context = withReply(turn.message, known.context, found, this.config.attachmentMaxBytes);
    return turn.notePayload(JSON.stringify({ ...known, context }));
  }

  private async find(
    { open, message }: SessionTurn,
    chatId: string,
    messageId: string,
    stop: AbortSignal,
  ): Promise<RepliedMessage | null> {
    if (!canFind(open.adapter)) return null;
    const limit = timeLimit(TIMEOUT_MS);
    const { signal, release } = joinAborts(limit.signal, stop);
    try {
      return await open.adapter.findMessage(open.account, chatId, messageId, signal);
    } catch (error) {
      const facts = { channel_id: message.channel_id, thread_id: message.thread_id, err: error };
      this.logger.info(facts, 'the platform does not say what the message answers');
      return null;
    } finally {
      limit.clear();
      release();
    }
  }
}
