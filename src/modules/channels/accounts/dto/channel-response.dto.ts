import { ApiProperty } from '@nestjs/swagger';
import { isoTime } from '../../../../common/clock.js';
import type { Page } from '../../../../common/pagination.js';
import { PageDto } from '../../../../http/page-query.dto.js';
import type { AccountProfile } from '../../platforms/channel-adapter.js';
import { CHANNEL_TYPES, type ChannelType } from '../../platforms/platforms.js';
import type { ChannelView, CreatedChannel } from '../channel-mapper.js';
import type { ChannelAgent } from '../channel-agent.entity.js';
import { ROUTING_MODES, SESSION_MODES, type RoutingMode, type SessionMode } from '../channel.entity.js';
import type { WebhookSetup } from '../webhook-setup.service.js';
import type { PendingCode } from '../verification/channel-verification.service.js';

const TIME = { type: 'string', format: 'date-time', example: '2026-11-20T09:30:00.000Z' } as const;
const CODE = {
  pattern: '^[0-9]{6}$',
  description: 'Send it to `verify`, or to the bot in a chat. Only this response shows it.',
  example: '042137',
};

export class ChannelAgentDto {
  @ApiProperty({ example: 'support' })
  agent_name: string;

  @ApiProperty({ description: 'Gets messages that name no command.' })
  is_default: boolean;

  @ApiProperty({ type: 'string', nullable: true, description: 'With its leading slash.', example: '/support' })
  command: string | null;

  static from({ agent_name, is_default, command }: ChannelAgent): ChannelAgentDto {
    return { agent_name, is_default, command };
  }
}

export class ChannelResponseDto {
  @ApiProperty({ example: '0b6f9e3a-6a3c-4a58-9a0b-5d2f0c1f7e11' })
  id: string;

  @ApiProperty({ enum: CHANNEL_TYPES })
  channel_type: ChannelType;

  @ApiProperty({ example: 'Support bot' })
  name: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description:
      'Without secrets and members that look like secrets; null if it was stored under another machine secret; send it again.',
    example: { transport: 'webhook' },
  })
  config: Readonly<Record<string, unknown>> | null;

  @ApiProperty({
    type: [String],
    description: 'The secrets that are set, and unknown members that look like secrets.',
    example: ['bot_token'],
  })
  secret_fields: readonly string[];

  @ApiProperty({ enum: SESSION_MODES })
  session_mode: SessionMode;

  @ApiProperty({ enum: ROUTING_MODES })
  routing_mode: RoutingMode;

  @ApiProperty({ description: 'A disabled channel acknowledges and drops inbound messages.' })
  enabled: boolean;

  @ApiProperty({ description: 'Until it is verified, the channel acknowledges and drops inbound messages.' })
  verified: boolean;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'Where the platform delivers messages, since the last `setup-webhook`.',
    example: 'https://bots.example.com/v1/channels/webhook/telegram',
  })
  webhook_url: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      "Why messages do not arrive: the platform's words when polled, or that a request had no valid proof. Null again as soon as a message arrives. The platform's `faults` say what to do.",
    example: 'Unauthorized',
  })
  fault: string | null;

  @ApiProperty(TIME)
  created_at: string;

  @ApiProperty(TIME)
  updated_at: string;

  @ApiProperty({ type: () => [ChannelAgentDto], description: 'The bound agents, oldest binding first.' })
  agents: ChannelAgentDto[];

  static from({ channel, shown, secretFields, agents }: ChannelView): ChannelResponseDto {
    const { id, channel_type, name, session_mode, routing_mode, enabled, verified, webhook_url, fault } = channel;
    return {
      ...{ id, channel_type, name, config: shown, secret_fields: secretFields },
      ...{ session_mode, routing_mode, enabled, verified, webhook_url, fault },
      created_at: isoTime(Number(channel.created_at)),
      updated_at: isoTime(Number(channel.updated_at)),
      agents: agents.map((agent) => ChannelAgentDto.from(agent)),
    };
  }
}

export class VerificationCodeDto {
  @ApiProperty(CODE)
  verification_code: string;

  @ApiProperty({ ...TIME, description: 'When the code expires.' })
  verification_expires_at: string;

  static from({ code, expiresAtMs }: PendingCode): VerificationCodeDto {
    return { verification_code: code, verification_expires_at: isoTime(expiresAtMs) };
  }
}

export class VerifiedChannelResponseDto extends ChannelResponseDto {
  @ApiProperty({ enum: ['verified'] })
  status: 'verified';

  static fromVerified(view: ChannelView): VerifiedChannelResponseDto {
    return { ...ChannelResponseDto.from(view), status: 'verified' };
  }
}

export class CreatedChannelResponseDto extends ChannelResponseDto {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Without secrets. Only this response includes the `verification_code`.',
    example: { transport: 'webhook', verification_code: '042137' },
  })
  declare config: Readonly<Record<string, unknown>>;

  @ApiProperty(CODE)
  verification_code: string;

  @ApiProperty({ ...TIME, description: 'When the code expires.' })
  verification_expires_at: string;

  static fromCreated({ view, pending }: CreatedChannel): CreatedChannelResponseDto {
    const config = { ...view.shown, verification_code: pending.code };
    return { ...ChannelResponseDto.from(view), ...VerificationCodeDto.from(pending), config };
  }
}

export class ChannelListResponseDto extends PageDto {
  @ApiProperty({ type: () => [ChannelResponseDto] })
  items: ChannelResponseDto[];

  static fromPage({ items, next_cursor }: Page<ChannelView>, total: number | undefined): ChannelListResponseDto {
    return { items: items.map((item) => ChannelResponseDto.from(item)), next_cursor, total };
  }
}

export class AccountDto {
  @ApiProperty({ type: 'string', nullable: true, description: "The bot's own user id.", example: '700100200' })
  user_id: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Its name on the platform.', example: 'WaystationBot' })
  user_name: string | null;

  @ApiProperty({ type: 'string', nullable: true, description: 'Its workspace, if the platform has workspaces.' })
  team: string | null;

  static from({ userId, userName, team }: AccountProfile): AccountDto {
    return { user_id: userId, user_name: userName, team };
  }
}

export class WebhookSetupResponseDto {
  @ApiProperty({ example: 'https://bots.example.com/v1/channels/webhook/telegram' })
  webhook_url: string;

  @ApiProperty({
    enum: ['registered', 'manual'],
    description: '`registered` with the platform, or to be set by hand in its console.',
  })
  status: 'registered' | 'manual';

  @ApiProperty({ type: [String], description: 'What to paste where; empty if nothing is left to do.' })
  instructions: readonly string[];

  static from({ webhookUrl, status, instructions }: WebhookSetup): WebhookSetupResponseDto {
    return { webhook_url: webhookUrl, status, instructions };
  }
}
