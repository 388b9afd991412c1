import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayNotEmpty,
  IsArray,
  IsBoolean,
  IsIn,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { Type } from 'class-transformer';
import { invalidField } from '../../../common/domain-error.js';
import { PageQueryDto } from '../../../http/page-query.dto.js';
import { DELIVERY_STATUSES, type DeliveryStatus } from '../deliveries/notice-delivery.entity.js';
import { NOTICE_EVENTS, type NoticeEvent } from '../notice-events.js';
import type { NewNotice, NoticePatch } from '../notices.service.js';

/** No control characters, which terminals obey, and no lone surrogates, which no database stores. */
const NO_CONTROL_CHARACTERS = /^[^\p{Cc}\p{Cs}]*$/u;
/** For members that may be absent, but not null. */
const isPresent = (_dto: object, value: unknown): boolean => value !== undefined;
const isGiven = (_dto: object, value: unknown): boolean => value !== undefined && value !== null;

const NAME = { minLength: 1, maxLength: 200, description: 'For people.', example: 'On-call' };
const URL_FIELD = {
  maxLength: 2048,
  description:
    'Begins with `https://`. `http://` and addresses of this machine are allowed while the server itself listens only there; private networks only for the hosts of `WAYSTATION_NOTICE_HOSTS`; link-local addresses never. No answer and no error repeats its path.',
  example: 'https://hooks.example.com/waystation',
};
const EVENTS = {
  enum: NOTICE_EVENTS,
  isArray: true,
  minItems: 1,
  description:
    '`run_...`: ends of runs without a parent, cancellations not among them. `budget_warning`: the first in each attempt of a run.',
  example: ['approval_waiting', 'run_failed'],
} as const;
const AGENT = {
  type: 'string',
  nullable: true,
  minLength: 1,
  maxLength: 512,
  description: 'Only what this agent and its sub-agents do; null for all.',
  example: 'support',
} as const;
const INCLUDE_ANSWER = {
  description:
    'Adds what the agent said last to `run_completed`: up to 16 KiB as `answer`; in a chat the whole of it, in place of the sentence.',
};
const EVENTS_RULE = { each: true, message: `must be some of ${NOTICE_EVENTS.join(', ')}` };

export class NoticeChatDto {
  @ApiProperty({ example: '0b6f9e3a-6a3c-4a58-9a0b-5d2f0c1f7e11' })
  @Matches(/^[\w-]{1,64}$/, { message: 'must be the id of a channel' })
  channel_id: string;

  @ApiProperty({ minLength: 1, maxLength: 200, example: '200300400' })
  @Matches(NO_CONTROL_CHARACTERS, { message: 'must not contain control characters' })
  @Length(1, 200, { message: 'must have 1 to 200 characters' })
  @IsString({ message: 'must be a string' })
  chat_id: string;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    minLength: 1,
    maxLength: 200,
    description: 'Part of the chat, where its platform has such.',
  })
  @ValidateIf(isGiven)
  @Matches(NO_CONTROL_CHARACTERS, { message: 'must not contain control characters' })
  @Length(1, 200, { message: 'must have 1 to 200 characters' })
  @IsString({ message: 'must be a string' })
  topic?: string | null;
}

class NoticeOptionsDto {
  @ApiPropertyOptional(AGENT)
  @ValidateIf(isGiven)
  @Matches(NO_CONTROL_CHARACTERS, { message: 'must not contain control characters' })
  @Length(1, 512, { message: 'must have 1 to 512 characters' })
  @IsString({ message: 'must be a string' })
  agent_id?: string | null;

  @ApiPropertyOptional(INCLUDE_ANSWER)
  @ValidateIf(isPresent)
  @IsBoolean({ message: 'must be true or false' })
  include_answer?: boolean;
}

export class CreateNoticeDto extends NoticeOptionsDto {
  @ApiProperty(NAME)
  @Matches(NO_CONTROL_CHARACTERS, { message: 'must not contain control characters' })
  @Length(1, 200, { message: 'must have 1 to 200 characters' })
  @IsString({ message: 'must be a string' })
  name: string;

  @ApiPropertyOptional({ ...URL_FIELD, type: String, nullable: true })
  @ValidateIf(isGiven)
  @IsString({ message: 'must be a string' })
  url?: string | null;

  @ApiPropertyOptional({
    type: () => NoticeChatDto,
    description: 'In place of `url`: a chat in which somebody has written to the bot.',
  })
  @ValidateIf(isPresent)
  @ValidateNested()
  @IsObject({ message: 'must be an object with channel_id and chat_id' })
  @Type(() => NoticeChatDto)
  chat?: NoticeChatDto;

  @ApiProperty(EVENTS)
  @IsIn(NOTICE_EVENTS, EVENTS_RULE)
  @ArrayNotEmpty({ message: 'must name at least one event' })
  @IsArray({ message: 'must be an array' })
  events: NoticeEvent[];

  /** @throws DomainError `invalid` unless there is either a URL or a chat */
  toOrder(): NewNotice {
    const { url = null, chat } = this;
    if ((url === null) === (chat === undefined)) throw invalidField('url', 'send either url or chat');
    return {
      ...{ name: this.name, url, events: this.events, agentId: this.agent_id ?? null },
      chat: chat ? { channelId: chat.channel_id, chatId: chat.chat_id, topic: chat.topic ?? null } : null,
      includeAnswer: this.include_answer ?? false,
    };
  }
}

export class UpdateNoticeDto extends NoticeOptionsDto {
  @ApiPropertyOptional(NAME)
  @ValidateIf(isPresent)
  @Matches(NO_CONTROL_CHARACTERS, { message: 'must not contain control characters' })
  @Length(1, 200, { message: 'must have 1 to 200 characters' })
  @IsString({ message: 'must be a string' })
  name?: string;

  @ApiPropertyOptional(URL_FIELD)
  @ValidateIf(isPresent)
  @IsString({ message: 'must be a string' })
  url?: string;

  @ApiPropertyOptional(EVENTS)
  @ValidateIf(isPresent)
  @IsIn(NOTICE_EVENTS, EVENTS_RULE)
  @ArrayNotEmpty({ message: 'must name at least one event' })
  @IsArray({ message: 'must be an array' })
  events?: NoticeEvent[];

  @ApiPropertyOptional({
    description: 'A disabled notice gets no new deliveries; those that wait go on when it is enabled again.',
  })
  @ValidateIf(isPresent)
  @IsBoolean({ message: 'must be true or false' })
  enabled?: boolean;

  /** Only the members that were sent. */
  toPatch(): NoticePatch {
    const { name, url, events, agent_id: agentId, include_answer: includeAnswer, enabled } = this;
    const members = Object.entries({ name, url, events, agentId, includeAnswer, enabled });
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  }
}

export class DeliveriesQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: DELIVERY_STATUSES, description: 'Only deliveries with this status.' })
  @IsOptional()
  @IsIn(DELIVERY_STATUSES, { message: `must be one of ${DELIVERY_STATUSES.join(', ')}` })
  status?: DeliveryStatus;
}
