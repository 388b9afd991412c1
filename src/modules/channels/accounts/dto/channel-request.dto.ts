import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsObject, IsString, Length, Matches, ValidateIf } from 'class-validator';
import { commonFields, type Platform } from '../../platforms/platform.js';
import { CHANNEL_TYPES, PLATFORMS, type ChannelType } from '../../platforms/platforms.js';
import type { NewChannel, ChannelPatch } from '../channels.service.js';
import { ROUTING_MODES, SESSION_MODES, type RoutingMode, type SessionMode } from '../channel.entity.js';
import { NO_CONTROL_CHARACTERS, isPresent } from './channel-fields.js';

const NAME = { minLength: 1, maxLength: 200, description: 'For people.', example: 'Support bot' };
const SESSION_MODE = {
  enum: SESSION_MODES,
  description: 'What becomes one thread: a chat (or topic) with an agent, each person in it, or each message.',
};
const ROUTING_MODE = {
  enum: ROUTING_MODES,
  description:
    '`single`: every message goes to the default agent. `command`: `/name text` goes to the agent with that command.',
};
/** Members described once, for all platforms. */
const COMMON = commonFields('').map(({ name }) => name);
const CONFIG = {
  type: 'object',
  additionalProperties: true,
  description: `${Object.values(PLATFORMS).map(describeConfig).join(' ')} All: optional \`approvers\`, ids of the people who may decide in the chat, and \`escalation_chat\`, id of a chat that is also asked from the second reminder on. Other members are stored and returned, but have no effect. If a name or value looks like a secret, the API never returns it and only names it in \`secret_fields\`.`,
  example: { bot_token: '123456:ABC-DEF', transport: 'webhook' },
} as const;

export class CreateChannelDto {
  @ApiProperty({ enum: CHANNEL_TYPES, description: 'The messaging platform.' })
  @IsIn(CHANNEL_TYPES, { message: `must be one of ${CHANNEL_TYPES.join(', ')}` })
  channel_type: ChannelType;

  @ApiProperty(NAME)
  @Matches(NO_CONTROL_CHARACTERS, { message: 'must not contain control characters' })
  @Length(1, 200, { message: 'must have 1 to 200 characters' })
  @IsString({ message: 'must be a string' })
  name: string;

  @ApiProperty(CONFIG)
  @IsObject({ message: 'must be an object' })
  config: Record<string, unknown>;

  @ApiPropertyOptional({ ...SESSION_MODE, default: 'per_chat' })
  @ValidateIf(isPresent)
  @IsIn(SESSION_MODES, { message: `must be one of ${SESSION_MODES.join(', ')}` })
  session_mode?: SessionMode;

  @ApiPropertyOptional({ ...ROUTING_MODE, default: 'single' })
  @ValidateIf(isPresent)
  @IsIn(ROUTING_MODES, { message: `must be one of ${ROUTING_MODES.join(', ')}` })
  routing_mode?: RoutingMode;

  toOrder(): NewChannel {
    return {
      type: this.channel_type,
      name: this.name,
      config: this.config,
      sessionMode: this.session_mode ?? 'per_chat',
      routingMode: this.routing_mode ?? 'single',
    };
  }
}

export class UpdateChannelDto {
  @ApiPropertyOptional(NAME)
  @ValidateIf(isPresent)
  @Matches(NO_CONTROL_CHARACTERS, { message: 'must not contain control characters' })
  @Length(1, 200, { message: 'must have 1 to 200 characters' })
  @IsString({ message: 'must be a string' })
  name?: string;

  @ApiPropertyOptional(SESSION_MODE)
  @ValidateIf(isPresent)
  @IsIn(SESSION_MODES, { message: `must be one of ${SESSION_MODES.join(', ')}` })
  session_mode?: SessionMode;

  @ApiPropertyOptional(ROUTING_MODE)
  @ValidateIf(isPresent)
  @IsIn(ROUTING_MODES, { message: `must be one of ${ROUTING_MODES.join(', ')}` })
  routing_mode?: RoutingMode;

  @ApiPropertyOptional({ description: 'A disabled channel acknowledges and drops inbound messages.' })
  @ValidateIf(isPresent)
  @IsBoolean({ message: 'must be true or false' })
  enabled?: boolean;

  /** Only the members that were sent. */
  toPatch(): ChannelPatch {
    const { name, session_mode, routing_mode, enabled } = this;
    const members = Object.entries({ name, session_mode, routing_mode, enabled });
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  }
}

export class ReplaceConfigDto {
  @ApiProperty({ ...CONFIG, description: `The whole config: omitted members are removed. ${CONFIG.description}` })
  @IsObject({ message: 'must be an object' })
  config: Record<string, unknown>;
}

/** The members of `config` that only this platform has, optional ones last. */
function describeConfig({ title, fields }: Platform): string {
  const own = fields.filter(({ name }) => !COMMON.includes(name));
  const required = own.filter(({ isRequired }) => isRequired).map(({ name }) => `\`${name}\``);
  const optional = own.filter(({ isRequired }) => !isRequired).map(describeOptional);
  const members = [...required, ...(optional.length === 0 ? [] : [`optional ${optional.join(' and ')}`])];
  return `${title}: ${members.join(', ')}.`;
}

function describeOptional({ name, choices }: Platform['fields'][number]): string {
  return choices === undefined ? `\`${name}\`` : `\`${name}\` (\`${choices.join('` or `')}\`)`;
}
