import { Injectable } from '@nestjs/common';
import { Clock } from '../../common/clock.js';
import { invalidField } from '../../common/domain-error.js';
import { newId } from '../../common/ids.js';
import type { PostPlace } from '../channels/conversations/chat-posts.service.js';
import { DeliveriesRepository } from './deliveries/deliveries.repository.js';
import { eventsIn, storedEvents, type NoticeEvent } from './notice-events.js';
import { NoticeTargetsService } from './notice-targets.service.js';
import { NoticeVault } from './notice-vault.js';
import type { Notice } from './notice.entity.js';
import { noSecret, noticeNotFound, tooManyNotices } from './notices.errors.js';
import { HEALTHY, NoticesRepository, type NoticeChanges } from './notices.repository.js';
import { newSecret } from './sending/notice-signature.js';
import { NoticeWakesService } from './sending/notice-wakes.service.js';

/** How long a replaced secret signs beside the new one. */
const ROTATION_MS = 24 * 3_600_000;

export interface NewNotice {
  name: string;
  /** Null for a chat. */
  url: string | null;
  /** Null for a URL. */
  chat: PostPlace | null;
  includeAnswer: boolean;
  events: readonly NoticeEvent[];
  agentId: string | null;
}

export interface NoticePatch {
  name?: string;
  url?: string;
  events?: readonly NoticeEvent[];
  agentId?: string | null;
  includeAnswer?: boolean;
  enabled?: boolean;
}

export interface NoticeView {
  notice: Notice;
  events: readonly NoticeEvent[];
  waiting: number;
}

@Injectable()
export class NoticesService {
  constructor(
    private readonly notices: NoticesRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly vault: NoticeVault,
    private readonly targets: NoticeTargetsService,
    private readonly wakes: NoticeWakesService,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError `url_not_allowed`, `chat_not_allowed`; `conflict` if there are too many */
  async create(order: NewNotice): Promise<{ view: NoticeView; secret: string | null }> {
    const { chat } = order;
    if (order.url !== null) await this.targets.checkUrl(order.url);
    if (chat !== null) await this.targets.checkChat(chat);
    const [id, secret, nowMs] = [newId(), order.url === null ? null : newSecret(), this.clock.nowMs()];
    const notice: Notice = {
      ...{ id, name: order.name, url: order.url },
      ...{ channel_id: chat?.channelId ?? null, chat_id: chat?.chatId ?? null, topic: chat?.topic ?? null },
      ...{ events: storedEvents(order.events), agent_id: order.agentId, include_answer: order.includeAnswer },
      ...{ secret: secret && this.vault.seal(secret, id), old_secret: null, old_secret_until: null },
      ...{ enabled: true, disabled_reason: null, last_error: null, failing_since: null },
      ...{ work_at: null, lease_owner: null, lease_until: null, created_at: nowMs, updated_at: nowMs },
    };
    if (!(await this.notices.insert(notice))) throw tooManyNotices();
    this.wakes.noteCreated();
    return { view: viewOf(notice, 0), secret };
  }

  /** Oldest first. */
  async list(): Promise<NoticeView[]> {
    const [notices, waiting] = await Promise.all([this.notices.list(), this.deliveries.countWaiting()]);
    return notices.map((notice) => viewOf(notice, waiting.get(notice.id) ?? 0));
  }

  /** @throws DomainError `not_found` */
  async get(id: string): Promise<NoticeView> {
    return this.shown(await this.notices.find(id));
  }

  /**
   * Enabling it clears the reason why it was disabled; that or a new URL clears the error of before, and what waits is tried at once.
   * @throws DomainError `not_found`, `url_not_allowed`
   */
  async change(id: string, patch: NoticePatch): Promise<NoticeView> {
    if (patch.url !== undefined) await this.targets.checkUrl(patch.url);
    const nowMs = this.clock.nowMs();
    let isRepaired = false;
    const notice = await this.notices.update(id, (before) => {
      if (patch.url !== undefined && before.url === null) throw invalidField('url', 'a notice for a chat has no URL');
      const changes = changesOf(patch, before, nowMs);
      isRepaired = 'last_error' in changes;
      return changes;
    });
    if (isRepaired) await this.deliveries.hasten(id, nowMs);
    const view = await this.shown(notice);
    this.wakes.wake();
    return view;
  }

  /** @throws DomainError `not_found` */
  async delete(id: string): Promise<void> {
    if (!(await this.notices.delete(id))) throw noticeNotFound();
  }

  /** The previous secret signs beside it for a day. Clears the error of before. @throws DomainError `not_found`; `conflict` for a chat, which has none */
  async renewSecret(id: string): Promise<string> {
    const [secret, nowMs] = [newSecret(), this.clock.nowMs()];
    const sealed = this.vault.seal(secret, id);
    const notice = await this.notices.update(id, (before) => {
      if (before.url === null) throw noSecret();
      const old = { old_secret: before.secret, old_secret_until: nowMs + ROTATION_MS };
      return { ...old, secret: sealed, ...HEALTHY, updated_at: nowMs };
    });
    if (notice === null) throw noticeNotFound();
    return secret;
  }

  private async shown(notice: Notice | null): Promise<NoticeView> {
    if (notice === null) throw noticeNotFound();
    return viewOf(notice, await this.deliveries.count(notice.id, 'waiting'));
  }
}

function viewOf(notice: Notice, waiting: number): NoticeView {
  return { notice, events: eventsIn(notice.events), waiting };
}

function changesOf(
  { agentId, events, includeAnswer, enabled, ...rest }: NoticePatch,
  before: Notice,
  nowMs: number,
): NoticeChanges {
  const isEnabled = enabled === true && !before.enabled;
  const isMoved = rest.url !== undefined && rest.url !== before.url;
  return {
    ...rest,
    ...(agentId !== undefined && { agent_id: agentId }),
    ...(events !== undefined && { events: storedEvents(events) }),
    ...(includeAnswer !== undefined && { include_answer: includeAnswer }),
    ...(enabled !== undefined && { enabled }),
    ...(isEnabled && { disabled_reason: null }),
    ...((isEnabled || isMoved) && HEALTHY),
    updated_at: nowMs,
  };
}
