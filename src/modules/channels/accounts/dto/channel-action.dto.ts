import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsNotIn, IsOptional, IsString, Length, Matches } from 'class-validator';
import { trimEndOf } from '../../../../common/trim-end.js';
import type { NewBinding } from '../channel-agents.service.js';
import { IsPublicBaseUrl, NO_CONTROL_CHARACTERS } from './channel-fields.js';

export class BindAgentDto {
  @ApiProperty({
    minLength: 1,
    maxLength: 512,
    description: 'Id of the agent, as its heartbeats name it.',
    example: 'support',
  })
  @IsNotIn(['.', '..'], { message: 'must not be . or ..' })
  @Matches(NO_CONTROL_CHARACTERS, { message: 'must not contain control characters' })
  @Length(1, 512, { message: 'must have 1 to 512 characters' })
  @IsString({ message: 'must be a string' })
  agent_name: string;

  @ApiPropertyOptional({
    type: 'boolean',
    nullable: true,
    default: false,
    description:
      'Gets messages that name no command. The first agent of a channel is always the default; a new default replaces the old one.',
  })
  @IsOptional()
  @IsBoolean({ message: 'must be true or false' })
  is_default?: boolean | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    minLength: 1,
    maxLength: 64,
    description: 'For `routing_mode` `command`: one word; a missing leading slash is added. Case does not matter.',
    example: '/research',
  })
  @IsOptional()
  @Matches(/^\/?[^\s/@\p{Cc}\p{Cs}]{1,63}$/u, {
    message: 'must be one word of 1 to 63 characters, with or without a leading slash',
  })
  @IsString({ message: 'must be a string' })
  command?: string | null;

  toOrder(): NewBinding {
    const command = this.command?.replace(/^\//, '').toLowerCase() ?? null;
    return {
      agentName: this.agent_name,
      isDefault: this.is_default ?? false,
      command: command === null ? null : `/${command}`,
    };
  }
}

export class VerifyChannelDto {
  @ApiProperty({ pattern: '^[0-9]{6}$', description: 'The pending verification code.', example: '042137' })
  @IsString({ message: 'must be a string of 6 digits' })
  @Matches(/^\d{6}$/, { message: 'must be a string of 6 digits' })
  code: string;
}

export class SetUpWebhookDto {
  @ApiProperty({
    maxLength: 2048,
    description: 'Public address of this server: https, or http on this machine.',
    example: 'https://bots.example.com',
  })
  @IsPublicBaseUrl({
    message: 'must be an https:// URL, or an http:// one of this machine, without user, query and fragment',
  })
  base_url: string;

  get baseUrl(): string {
    return trimEndOf(this.base_url, '/');
  }
}
