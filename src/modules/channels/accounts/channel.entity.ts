import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import type { ChannelType } from '../platforms/platforms.js';

export const SESSION_MODES = ['per_chat', 'per_user', 'per_message'] as const;

export type SessionMode = (typeof SESSION_MODES)[number];

export const ROUTING_MODES = ['single', 'command'] as const;

export type RoutingMode = (typeof ROUTING_MODES)[number];

/** An account of a messaging platform that talks to agents. */
@Entity('channel')
@Index('channel_by_identity', ['channel_type', 'identity'], { unique: true })
@Index('channel_by_webhook_secret', ['webhook_secret'])
@Index('channel_by_fresh_webhook_secret', ['fresh_webhook_secret'])
@Index('channel_by_time', ['created_at', 'id'])
export class Channel {
  @PrimaryColumn('text')
  id: string;

  @Column('text')
  channel_type: ChannelType;

  @Column('text')
  name: string;

  /** The whole config as JSON, encrypted; see `SecretBox`. */
  @Column('text')
  config: string;

  /** The bot or number; unique to one channel. */
  @Column('text')
  identity: string;

  @Column('text')
  session_mode: SessionMode;

  @Column('text')
  routing_mode: RoutingMode;

  @Column('boolean')
  enabled: boolean;

  @Column('boolean')
  verified: boolean;

  /** Who sent the verification code in the chat; null if an operator did. */
  @Column('text', { nullable: true })
  verified_by: string | null;

  /** JSON of the platform's `AccountProfile`. */
  @Column('text', { nullable: true })
  profile: string | null;

  @Column('text', { nullable: true })
  webhook_url: string | null;

  /** Digest of the secret that the platform confirmed. */
  @Column('text', { nullable: true })
  webhook_secret: string | null;

  /** Digest of the secret that waits for the platform's confirmation. */
  @Column('text', { nullable: true })
  fresh_webhook_secret: string | null;

  /** Keyed digest of the pending verification code; null when none is pending. */
  @Column('text', { nullable: true })
  code_digest: string | null;

  @Column('bigint', { nullable: true })
  code_expires_at: number | null;

  /** Wrong tries at the pending code, in all chats. */
  @Column('integer')
  code_tries: number;

  /** Why messages do not arrive, in the platform's words or ours; null if nothing is wrong. */
  @Column('text', { nullable: true })
  fault: string | null;

  /** Where polling continues; null before the first response. */
  @Column('text', { nullable: true })
  poll_offset: string | null;

  /** The instance that polls, and until when. */
  @Column('text', { nullable: true })
  poll_owner: string | null;

  @Column('bigint', { nullable: true })
  poll_lease_until: number | null;

  @Column('bigint')
  created_at: number;

  @Column('bigint')
  updated_at: number;
}
