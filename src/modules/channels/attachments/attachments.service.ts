import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { digestOf } from '../../../common/digest.js';
import type { DomainError } from '../../../common/domain-error.js';
import type { Principal } from '../../../common/principal.js';
import { ChannelsConfig } from '../../../config/channels.config.js';
import { ChannelAccountsService, type OpenChannel } from '../accounts/channel-accounts.service.js';
import { platformRefused } from '../accounts/channels.errors.js';
import type { ChannelMessage, MessagePayload } from '../messages/channel-message.entity.js';
import { ChannelMessagesRepository } from '../messages/channel-messages.repository.js';
import { tooLargeFor } from '../messages/file-message.js';
import { attachmentsOf, type ContextAttachment } from '../messages/message-context.js';
import { OutboxQueueRepository, type OutboundDraft } from '../messages/outbox-queue.repository.js';
import { PlatformError } from '../platforms/channel-adapter.js';
import { FileUnavailable, leave, type OpenedFile } from '../platforms/platform-file.js';
import {
  attachmentGone,
  attachmentNotFound,
  attachmentTooLarge,
  platformAway,
  transfersFull,
} from './attachment.errors.js';
import { maySpeakIn } from './thread-access.js';

const MAX_TRANSFERS = 16;
const ID = /^([0-9a-f-]{36})\.(\d{1,5})$/;

/** An attachment that the caller may see. */
export interface FoundAttachment {
  message: ChannelMessage;
  attachment: ContextAttachment & { id: string };
  /** Whether the platform already said that the file is gone. */
  isGone: boolean;
}

/** A file on its way to the agent. */
export interface FileTransfer extends OpenedFile {
  name: string | null;
  /** The size in bytes at which to cut it off. */
  maxBytes: number;
}

/** Streams files from platforms, with their channels' credentials, and stores nothing of them. */
@Injectable()
export class AttachmentsService {
  private transfers = 0;

  constructor(
    private readonly messages: ChannelMessagesRepository,
    private readonly accounts: ChannelAccountsService,
    private readonly queue: OutboxQueueRepository,
    private readonly clock: Clock,
    private readonly config: ChannelsConfig,
  ) {}

  /** @throws DomainError `not_found`, also if the caller may not speak for the session's agent, or only for another thread */
  async get(threadId: string, attachmentId: string, caller: Principal): Promise<FoundAttachment> {
    const [, messageId, at] = ID.exec(attachmentId) ?? [];
    const message = messageId === undefined ? null : await this.messages.findInbound(messageId);
    if (message === null || message.thread_id !== threadId || !maySpeakIn(caller, threadId, message.agent_name))
      throw attachmentNotFound();
    const { context, gone_files } = JSON.parse(message.payload ?? '{}') as Partial<MessagePayload>;
    const attachment = context && attachmentsOf(context)[Number(at)];
    if (!attachment || attachment.id === null) throw attachmentNotFound();
    const { id } = attachment;
    return { message, attachment: { ...attachment, id }, isGone: gone_files?.includes(id) === true };
  }

  /**
   * Opens the file and passes it to `send`.
   * @param stop ends the transfer
   * @throws DomainError `gone`, `too_large`, `upstream`, `unavailable`; errors of `send`
   */
  async transfer(
    found: FoundAttachment,
    stop: AbortSignal,
    send: (file: FileTransfer) => Promise<void>,
  ): Promise<void> {
    if (this.transfers >= MAX_TRANSFERS) throw transfersFull();
    this.transfers += 1;
    try {
      await send(await this.open(found, stop));
    } finally {
      this.transfers -= 1;
    }
  }

  private async open(found: FoundAttachment, stop: AbortSignal): Promise<FileTransfer> {
    const { message, attachment, isGone } = found;
    const { attachmentMaxBytes: maxBytes } = this.config;
    if ((attachment.size_bytes ?? 0) > maxBytes) throw attachmentTooLarge(maxBytes);
    const open = await this.accounts.get(message.channel_id);
    const ageMs = this.clock.nowMs() - Number(message.created_at);
    if (isGone || ageMs > open.adapter.filesLastMs) throw attachmentGone();
    const file = await this.ask(open, found, stop);
    if ((file.sizeBytes ?? 0) > maxBytes) {
      await leave(file.bytes);
      throw await this.tooLarge(found);
    }
    return { ...file, mediaType: attachment.media_type ?? file.mediaType, name: attachment.name, maxBytes };
  }

  /** WhatsApp, for one, does not say a file's size before it is fetched: only now can its sender read why nobody opens it. */
  private async tooLarge({ message, attachment }: FoundAttachment): Promise<DomainError> {
    const { attachmentMaxBytes: maxBytes } = this.config;
    if (attachment.size_bytes === null) {
      const { channel_id: channelId, chat_id: chatId, topic, agent_name: agentName, thread_id: threadId } = message;
      const draft: OutboundDraft = {
        ...{ channelId, chat: { chatId: chatId ?? '', topic }, kind: 'text', payload: null },
        dedupKey: `too-large:${message.id}:${digestOf(attachment.id)}`,
        text: tooLargeFor(attachment.name, maxBytes),
        ...{ agentName, threadId, runId: message.run_id },
      };
      await this.queue.enqueueAlone(draft, this.clock.nowMs());
    }
    return attachmentTooLarge(maxBytes);
  }

  private async ask({ account, adapter }: OpenChannel, found: FoundAttachment, stop: AbortSignal): Promise<OpenedFile> {
    const { message, attachment } = found;
    try {
      return await adapter.openFile(account, attachment.id, stop);
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error;
      if (error instanceof FileUnavailable) {
        if (error.fault === 'too_large') throw await this.tooLarge(found);
        // Platforms penalise repeated requests for files that are gone.
        await this.messages.noteGone(message, attachment.id);
        throw attachmentGone();
      }
      throw error.retryAfterMs !== null ? platformAway(error) : platformRefused(error);
    }
  }
}
