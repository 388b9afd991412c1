import { Injectable } from '@nestjs/common';
import { Clock } from '../../../common/clock.js';
import { ChannelsConfig } from '../../../config/channels.config.js';
import type { SqlSession } from '../../../database/database.js';
import { ChannelsRepository } from '../accounts/channels.repository.js';
import type { Channel } from '../accounts/channel.entity.js';
import type { InboundUpdate } from '../platforms/inbound-update.js';
import { noteOfLost } from '../messages/file-message.js';
import { OutboxQueueRepository } from '../messages/outbox-queue.repository.js';
import { ChannelVerificationService } from '../accounts/verification/channel-verification.service.js';
import { ChatCodes, isTry, tryKey } from './chat-codes.js';
import { storableId } from './inbound-row.js';
import { DROP_REASONS, type InboxDelivery } from './inbox-delivery.js';
import { InboxPlan, LOST, type PlannedRow } from './inbox-plan.js';
import {
  InboxRepository,
  type ChatChange,
  type ChatPair,
  type GatheringChange,
  type GatheringPlace,
  type SessionWork,
} from './inbox.repository.js';
import { isAlbum, PartsPlan, placeOf } from './parts-plan.js';

/** Stores deliveries in a transaction: the rows, and the effects of those that are new. */
@Injectable()
export class InboxWriter {
  constructor(
    private readonly repository: InboxRepository,
    private readonly queue: OutboxQueueRepository,
    private readonly channels: ChannelsRepository,
    private readonly verification: ChannelVerificationService,
    private readonly clock: Clock,
    private readonly config: ChannelsConfig,
  ) {}

  /** Skips deliveries for deleted channels. @returns whether there is work now */
  async write(session: SqlSession, deliveries: readonly InboxDelivery[]): Promise<boolean> {
    const nowMs = this.clock.nowMs();
    const ids = [...new Set(deliveries.map(({ channelId }) => channelId))];
    const channels = new Map((await this.repository.findChannels(session, ids)).map((one) => [one.id, one]));
    const agents = await this.repository.findAgents(session, ids);
    const known = await this.repository.findChats(session, chatsOf(deliveries));
    const lost = lostIn(deliveries);
    const lostReplies = lost.length === 0 ? [] : await this.repository.findLastOf(session, LOST, lost);
    const plan = new InboxPlan(agents, known, nowMs, this.config.attachmentMaxBytes, lostReplies);
    const codes = await this.openCodes(session, channels, deliveries);
    for (const { channelId, updates, dropReason } of deliveries) {
      const channel = channels.get(channelId);
      if (!channel) continue;
      for (const update of updates) {
        const isVerifying = dropReason === null && (await codes.isRight(channel, update));
        plan.add(channel, update, dropReason, isVerifying);
      }
    }
    for (const { inSameTransaction } of deliveries) await inSameTransaction?.(session);
    const { rows, changes } = await this.joinParts(session, plan.rows, known.gathering, nowMs);
    return this.store(session, rows, changes, nowMs);
  }

  /** Most messages have no parts, and cost nothing here. */
  private async joinParts(
    session: SqlSession,
    planned: readonly PlannedRow[],
    gathering: readonly GatheringPlace[],
    nowMs: number,
  ): Promise<{ rows: readonly PlannedRow[]; changes: readonly GatheringChange[] }> {
    const { gatherMs } = this.config;
    const places = new Set(gathering.map(placeOf));
    const isConcerned = ({ row, written }: PlannedRow) =>
      written !== undefined && (written.message.part !== undefined || places.has(placeOf(row)));
    if (gatherMs === 0 || !planned.some(isConcerned)) return { rows: planned, changes: [] };
    const chats = planned.flatMap((one) => [...(one.chats ?? []), ...(one.written ? [one.written.chat] : [])]);
    const threadIds = new Set(planned.flatMap(({ session: work }) => work?.threadId ?? []));
    for (const { thread_id } of gathering) if (thread_id !== null) threadIds.add(thread_id);
    await this.repository.lockChats(session, [...threadIds], chats, nowMs);
    const stored = await this.findStored(session, planned);
    const heads = await this.repository.findGathering(session, pairsOf(planned), albumsOf(planned));
    const plan = new PartsPlan(heads, gatherMs, nowMs);
    const rows: PlannedRow[] = [];
    for (const one of planned) {
      const key = tryKey(one.row.channel_id, one.row.dedup_key);
      if (one.written !== undefined && stored.has(key)) continue;
      stored.add(key);
      rows.push(plan.place(one));
    }
    return { rows, changes: plan.changes };
  }

  /** The keys that are stored already: those messages are placed. */
  private async findStored(session: SqlSession, planned: readonly PlannedRow[]): Promise<Set<string>> {
    const byChannel = new Map<string, string[]>();
    for (const { row, written } of planned) {
      if (written === undefined) continue;
      byChannel.set(row.channel_id, [...(byChannel.get(row.channel_id) ?? []), row.dedup_key]);
    }
    const stored = new Set<string>();
    for (const [channelId, keys] of byChannel) {
      for (const key of await this.repository.findStoredKeys(session, channelId, keys))
        stored.add(tryKey(channelId, key));
    }
    return stored;
  }

  /** Locks channels with a pending code before a code is tried, so that every try counts. */
  private async openCodes(
    session: SqlSession,
    channels: Map<string, Channel>,
    deliveries: readonly InboxDelivery[],
  ): Promise<ChatCodes> {
    const tried = new Set<string>();
    for (const channel of [...channels.values()].sort((a, b) => (a.id < b.id ? -1 : 1))) {
      const updates = deliveries.flatMap((one) => (one.channelId === channel.id ? one.updates : []));
      const tries = updates.filter((update) => isTry(this.verification, channel, update));
      if (tries.length === 0) continue;
      const locked = await this.channels.lock(session, channel.id);
      if (locked) channels.set(channel.id, locked);
      const keys = tries.map(({ key }) => storableId(key));
      for (const key of await this.repository.findStoredKeys(session, channel.id, keys)) {
        tried.add(tryKey(channel.id, key));
      }
    }
    return new ChatCodes(session, this.verification, tried);
  }

  private async store(
    session: SqlSession,
    planned: readonly PlannedRow[],
    changes: readonly GatheringChange[],
    nowMs: number,
  ): Promise<boolean> {
    const rows = planned.flatMap(({ row, reply }) => (reply ? [row, reply] : [row]));
    const inserted = await this.repository.insert(session, rows);
    const fresh = planned.filter(({ row }) => inserted.has(row.id));
    const sessions = latestBy(
      fresh.flatMap((one) => [...(one.session ? [one.session] : []), ...(one.woken ?? [])]),
      ({ threadId }: SessionWork) => threadId,
    );
    const chats = latestBy(
      fresh.flatMap((one) => one.chats ?? []),
      chatKeyOf,
    );
    await this.repository.noteNews(session, sessions, changes, chats, nowMs);
    await this.storeRest(session, fresh, nowMs);
    return sessions.length > 0 || chats.some(({ hasWork }) => hasWork);
  }

  /** What only few deliveries need. */
  private async storeRest(session: SqlSession, fresh: readonly PlannedRow[], nowMs: number): Promise<void> {
    const unproven = new Set<string>();
    for (const { row, movedFrom, chats } of fresh) {
      if (row.kind === 'delivery' && row.status === 'done') {
        const failed = await this.repository.noteFailure(session, row, nowMs);
        for (const file of failed.filter(({ kind }) => kind === 'file')) {
          await this.queue.enqueue(session, noteOfLost(file), nowMs);
        }
      }
      if (movedFrom !== undefined) {
        await this.repository.moveQueued(session, row.channel_id, movedFrom, chats![0]!.chatId);
      }
      if (row.reason === DROP_REASONS.unproven) unproven.add(row.channel_id);
    }
    for (const id of unproven) await this.repository.trimUnproven(session, id, DROP_REASONS.unproven);
  }
}

/** The chats in which people wrote. */
function pairsOf(planned: readonly PlannedRow[]): ChatPair[] {
  return planned.flatMap(({ row, written }) => (written ? [[row.channel_id, written.chat.chatId] as const] : []));
}

function albumsOf(planned: readonly PlannedRow[]): ChatPair[] {
  return planned.flatMap(({ row, written }) => {
    const key = written?.message.part?.key ?? null;
    return isAlbum(key) ? [[row.channel_id, key] as const] : [];
  });
}

function chatsOf(deliveries: readonly InboxDelivery[]): ChatPair[] {
  return pairsIn(deliveries, () => true);
}

/** The chats with messages that the platform does not deliver. */
function lostIn(deliveries: readonly InboxDelivery[]): ChatPair[] {
  return pairsIn(deliveries, (update) => update.kind === 'ignored' && update.isLost === true);
}

function pairsIn(deliveries: readonly InboxDelivery[], isMeant: (update: InboundUpdate) => boolean): ChatPair[] {
  return deliveries.flatMap(({ channelId, updates }) =>
    updates.filter(isMeant).flatMap((update) => {
      const chat = 'chat' in update ? update.chat : null;
      return chat === null ? [] : [[channelId, storableId(chat.chatId)] as const];
    }),
  );
}

/** The last item of each key, combined with the work of earlier ones. */
function latestBy<Item extends object>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const found = new Map<string, Item>();
  for (const item of items) {
    const before = found.get(keyOf(item));
    found.set(keyOf(item), before ? { ...item, ...sumOf(before, item) } : item);
  }
  return [...found.values()];
}

function sumOf(before: object, item: object): object {
  const [a, b] = [before as Partial<ChatChange>, item as Partial<ChatChange>];
  return { isHeard: a.isHeard || b.isHeard, hasWork: a.hasWork || b.hasWork };
}

function chatKeyOf({ channelId, chatId }: ChatChange): string {
  return `${channelId} ${chatId}`;
}
