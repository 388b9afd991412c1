import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';
import { isoTime } from '../../../common/clock.js';
import type { Page } from '../../../common/pagination.js';
import { PageDto, PageQueryDto } from '../../../http/page-query.dto.js';
import { INBOUND_STATUSES, OUTBOUND_STATUSES, type ChannelMessage } from './channel-message.entity.js';
import type { FilePayload } from './file-message.js';
import type { MessageFilter } from './channel-messages.repository.js';

const DIRECTIONS = ['in', 'out'] as const;
const STATUSES = [...new Set([...INBOUND_STATUSES, ...OUTBOUND_STATUSES])];
const TIME = { type: 'string', format: 'date-time', example: '2026-11-20T09:30:00.000Z' } as const;
const text = (example: string, description?: string) =>
  ({ type: 'string', nullable: true, example, ...(description === undefined ? {} : { description }) }) as const;

export class ChannelMessageQueryDto extends PageQueryDto {
  @ApiPropertyOptional({ enum: DIRECTIONS, description: 'Only inbound or only outbound messages.' })
  @IsOptional()
  @IsIn(DIRECTIONS, { message: `must be one of ${DIRECTIONS.join(', ')}` })
  direction?: 'in' | 'out';

  @ApiPropertyOptional({ enum: STATUSES, description: 'Only messages with this status.' })
  @IsOptional()
  @IsIn(STATUSES, { message: `must be one of ${STATUSES.join(', ')}` })
  status?: string;

  toFilter(): MessageFilter {
    return { direction: this.direction ?? null, status: this.status ?? null };
  }
}

export class SentFileDto {
  @ApiProperty({ example: 'chart.png' })
  name: string;

  @ApiProperty({ example: 'image/png' })
  media_type: string;

  @ApiProperty({ type: 'integer', example: 48213 })
  size_bytes: number;

  static from({ kind, payload }: ChannelMessage): SentFileDto | null {
    if (kind !== 'file') return null;
    const { name, media_type, size_bytes } = JSON.parse(payload ?? '{}') as FilePayload;
    return { name, media_type, size_bytes };
  }
}

export class ChannelMessageDto {
  @ApiProperty({ example: '0b6f9e3a-6a3c-4a58-9a0b-5d2f0c1f7e11' })
  id: string;

  @ApiProperty({ enum: DIRECTIONS })
  direction: 'in' | 'out';

  @ApiProperty({
    description:
      'In: `message`, `answer` (to a question of an agent), `press`, `delivery`, `moved`, `membership`, `ignored`. Out: `text`, `question`, `edit`, `file`.',
    example: 'message',
  })
  kind: string;

  @ApiProperty(text('4711', "The platform's id of the message; null before it is sent."))
  external_id: string | null;

  @ApiProperty(text('200300400'))
  chat_id: string | null;

  @ApiProperty(text('200300400'))
  user_id: string | null;

  @ApiProperty(text('Kim'))
  user_name: string | null;

  @ApiProperty({ description: 'Empty for messages not addressed to the bot.', example: 'What is our refund policy?' })
  text: string;

  @ApiProperty({ type: () => SentFileDto, nullable: true, description: 'Of a `file`; its text is the caption.' })
  file: SentFileDto | null;

  @ApiProperty({
    enum: STATUSES,
    description:
      'In: `received` waits, `joined` is a part of another message, `started` has a run, `done`, `dropped` starts nothing, `failed` was abandoned. Out: `queued`, `sending`, `sent`, `failed`, `unknown` (it may or may not have been sent).',
  })
  status: string;

  @ApiProperty(text('not addressed to the bot', 'Why it was dropped, failed or is unknown.'))
  reason: string | null;

  @ApiProperty(text('support'))
  agent_name: string | null;

  @ApiProperty(text('channel:0b6f9e3a-6a3c-4a58-9a0b-5d2f0c1f7e11:200300400:support', 'The thread of its session.'))
  thread_id: string | null;

  @ApiProperty(text('5d2f0c1f-6a3c-4a58-9a0b-0b6f9e3a7e11', 'The `trace_id` of the run that it started.'))
  run_id: string | null;

  @ApiProperty(
    text('0b6f9e3a-6a3c-4a58-9a0b-5d2f0c1f7e11', 'The `id` of the message that it is a part of, such as an album.'),
  )
  part_of: string | null;

  @ApiProperty(TIME)
  created_at: string;

  @ApiProperty(TIME)
  updated_at: string;

  static from(row: ChannelMessage): ChannelMessageDto {
    const { id, direction, kind, external_id, chat_id, user_id, user_name, status, reason } = row;
    const { agent_name, thread_id, run_id, part_of } = row;
    return {
      ...{ id, direction, kind, external_id, chat_id, user_id, user_name, text: row.text, status, reason },
      ...{ file: SentFileDto.from(row), agent_name, thread_id, run_id, part_of },
      created_at: isoTime(Number(row.created_at)),
      updated_at: isoTime(Number(row.updated_at)),
    };
  }
}

export class ChannelMessageListDto extends PageDto {
  @ApiProperty({ type: () => [ChannelMessageDto] })
  items: ChannelMessageDto[];

  static fromPage({ items, next_cursor }: Page<ChannelMessage>, total: number | undefined): ChannelMessageListDto {
    return { items: items.map((item) => ChannelMessageDto.from(item)), next_cursor, total };
  }
}
