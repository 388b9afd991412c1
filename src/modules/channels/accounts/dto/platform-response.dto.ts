import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { commonFaultsOf } from '../../platforms/platform-failure.js';
import type { ConfigField, ConfigFieldKind, PlatformFault } from '../../platforms/platform.js';
import { CHANNEL_TYPES, PLATFORMS, type ChannelType } from '../../platforms/platforms.js';

const KINDS = ['digits', 'text', 'choice', 'flag', 'user_ids'] as const satisfies readonly ConfigFieldKind[];

export class PlatformFieldDto {
  @ApiProperty({ description: 'The member of `config`.', example: 'bot_token' })
  name: string;

  @ApiProperty({
    enum: KINDS,
    description:
      '`digits`: a string of digits. `choice`: one of `choices`. `flag`: a boolean. `user_ids`: an array of strings.',
  })
  kind: ConfigFieldKind;

  @ApiProperty()
  required: boolean;

  @ApiProperty({ description: 'Whether responses omit it and only list it in `secret_fields`.' })
  secret: boolean;

  @ApiPropertyOptional({
    type: [String],
    description: 'For `choice`; the first is the default.',
    example: ['webhook', 'polling'],
  })
  choices?: string[];

  @ApiPropertyOptional({
    description: 'For `choice`, if another one than the default suits this server: what a form should start with.',
    example: 'polling',
  })
  suggested?: string;

  @ApiPropertyOptional({ description: 'A regular expression that the text must match.', example: '^\\d{1,20}:\\S+$' })
  pattern?: string;

  @ApiPropertyOptional({ description: 'The format in words.', example: 'the token as the platform issued it' })
  format?: string;

  @ApiProperty({
    description: 'What it is and where to find it.',
    example: 'the token that @BotFather gave for the bot',
  })
  hint: string;

  static from(field: ConfigField, isReachable: boolean): PlatformFieldDto {
    const { name, kind, isRequired, isSecret, choices, unreachableChoice, format, hint } = field;
    return {
      name,
      kind,
      required: isRequired,
      secret: isSecret,
      ...(choices && { choices: [...choices] }),
      ...(unreachableChoice !== undefined && !isReachable && { suggested: unreachableChoice }),
      ...(format && { pattern: format.pattern.source, format: format.words }),
      hint,
    };
  }
}

export class PlatformFaultDto {
  @ApiProperty({
    description: "A case-insensitive regular expression for the platform's words.",
    example: 'too many requests',
  })
  pattern: string;

  @ApiProperty({ description: 'What to do about it.', example: 'Enable the channel.' })
  remedy: string;

  static from({ pattern, remedy }: PlatformFault): PlatformFaultDto {
    return { pattern: pattern.source, remedy };
  }
}

export class PlatformDto {
  @ApiProperty({ enum: CHANNEL_TYPES, description: 'The `channel_type` of its channels.' })
  type: ChannelType;

  @ApiProperty({ example: 'Telegram' })
  title: string;

  @ApiProperty({ type: [String], description: 'What to do on the platform first, in order.' })
  preparation: string[];

  @ApiProperty({ type: [PlatformFieldDto] })
  fields: PlatformFieldDto[];

  @ApiProperty({
    type: [PlatformFaultDto],
    description:
      "Common faults, to match against a 502's detail, a channel's `fault` or a message's `reason`. The first match counts.",
  })
  faults: PlatformFaultDto[];
}

export class PlatformListDto {
  @ApiProperty({ type: [PlatformDto] })
  items: PlatformDto[];

  /** @param isReachable whether platforms may reach this server */
  static ofAll(isReachable: boolean): PlatformListDto {
    const items = CHANNEL_TYPES.map((type) => {
      const { title, preparation, fields, faults } = PLATFORMS[type];
      return {
        ...{
          type,
          title,
          preparation: [...preparation],
          fields: fields.map((field) => PlatformFieldDto.from(field, isReachable)),
        },
        faults: [...faults, ...commonFaultsOf(type)].map(PlatformFaultDto.from),
      };
    });
    return { items };
  }
}
