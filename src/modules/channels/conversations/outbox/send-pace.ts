import { Injectable } from '@nestjs/common';

/** Times that are over are thrown away when there are this many. */
const MAX_KEPT = 10_000;

/**
 * When the next message may be sent. It only spares the platform: what is forgotten with the process, or is sent by another instance,
 * the platform refuses by itself.
 */
@Injectable()
export class SendPace {
  /** By channel: the first moment that is free. */
  private readonly slots = new Map<string, number>();
  /** By channel and chat: not before. */
  private readonly chats = new Map<string, number>();
  /** By channel: not before, as the platform said so to more than one chat at once. */
  private readonly channels = new Map<string, number>();

  /** By channel and chat: until when the platform asked to wait. */
  private readonly limits = new Map<string, number>();

  /** The times are no longer true: the clock was set back. */
  forget(): void {
    for (const times of [this.slots, this.chats, this.channels, this.limits]) times.clear();
  }

  /** Milliseconds for which nothing may be sent to the chat; 0 for none. */
  waitMs(channelId: string, chatId: string, nowMs: number): number {
    const untilMs = Math.max(this.chats.get(keyOf(channelId, chatId)) ?? 0, this.channels.get(channelId) ?? 0);
    return Math.max(0, untilMs - nowMs);
  }

  /** Takes a place in the channel's row. @param perSecond messages of one account @returns milliseconds until the place comes up */
  takeSlot(channelId: string, perSecond: number, nowMs: number): number {
    const atMs = Math.max(this.slots.get(channelId) ?? 0, nowMs);
    this.slots.set(channelId, atMs + 1000 / perSecond);
    return atMs - nowMs;
  }

  /** Milliseconds until a place would come up. */
  slotMs(channelId: string, nowMs: number): number {
    return Math.max(0, (this.slots.get(channelId) ?? 0) - nowMs);
  }

  pauseChat(channelId: string, chatId: string, untilMs: number, nowMs: number): void {
    if (this.chats.size >= MAX_KEPT) forgetBefore(this.chats, nowMs);
    this.chats.set(keyOf(channelId, chatId), untilMs);
  }

  /**
   * The platform asked to wait. It does not say whether it means the chat or the account: a second chat that hears it within the time
   * of the first tells.
   */
  noteLimit(channelId: string, chatId: string, untilMs: number, nowMs: number): void {
    const prefix = keyOf(channelId, '');
    const isOfAccount = [...this.limits].some(
      ([key, until]) => key.startsWith(prefix) && key !== keyOf(channelId, chatId) && until > nowMs,
    );
    if (isOfAccount) this.channels.set(channelId, untilMs);
    if (this.limits.size >= MAX_KEPT) forgetBefore(this.limits, nowMs);
    this.limits.set(keyOf(channelId, chatId), untilMs);
    this.pauseChat(channelId, chatId, untilMs, nowMs);
  }
}

function keyOf(channelId: string, chatId: string): string {
  return `${channelId} ${chatId}`;
}

function forgetBefore(times: Map<string, number>, nowMs: number): void {
  for (const [key, ms] of times) if (ms <= nowMs) times.delete(key);
}
