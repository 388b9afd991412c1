import { Injectable } from '@nestjs/common';

/** The number of entries at which expired ones are removed. */
const MAX_KEPT = 10_000;

/**
 * When the next message may be sent. It only spares the platform, which itself refuses anything that a restarted process or another
 * instance sends too early.
 */
@Injectable()
export class SendPace {
  /** The next free time, by channel. */
  private readonly slots = new Map<string, number>();
  /** The earliest time to send, by channel and chat. */
  private readonly chats = new Map<string, number>();
  /** The earliest time to send, by channel, after the platform asked more than one chat to wait. */
  private readonly channels = new Map<string, number>();

  /** Until when the platform asked to wait, by channel and chat. */
  private readonly limits = new Map<string, number>();

  /** After the clock was set back, the times are wrong. */
  forget(): void {
    for (const times of [this.slots, this.chats, this.channels, this.limits]) times.clear();
  }

  /** Milliseconds for which nothing may be sent to the chat; 0 for none. */
  waitMs(channelId: string, chatId: string, nowMs: number): number {
    const untilMs = Math.max(this.chats.get(keyOf(channelId, chatId)) ?? 0, this.channels.get(channelId) ?? 0);
    return Math.max(0, untilMs - nowMs);
  }

  /** Takes the channel's next slot. @param perSecond messages of one account @returns milliseconds until the slot */
  takeSlot(channelId: string, perSecond: number, nowMs: number): number {
    const atMs = Math.max(this.slots.get(channelId) ?? 0, nowMs);
    this.slots.set(channelId, atMs + 1000 / perSecond);
    return atMs - nowMs;
  }

  /** Milliseconds until the next slot, without taking it. */
  slotMs(channelId: string, nowMs: number): number {
    return Math.max(0, (this.slots.get(channelId) ?? 0) - nowMs);
  }

  pauseChat(channelId: string, chatId: string, untilMs: number, nowMs: number): void {
    if (this.chats.size >= MAX_KEPT) forgetBefore(this.chats, nowMs);
    this.chats.set(keyOf(channelId, chatId), untilMs);
  }

  /**
   * The platform asked to wait, without saying whether it means the chat or the account: if another chat still has to wait, it means the
   * account.
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
