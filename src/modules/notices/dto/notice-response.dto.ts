import { ApiProperty } from '@nestjs/swagger';
import { isoTime, isoTimeOrNull } from '../../../common/clock.js';
import type { Page } from '../../../common/pagination.js';
import { PageDto } from '../../../http/page-query.dto.js';
import { DELIVERY_STATUSES, type DeliveryStatus, type NoticeDelivery } from '../deliveries/notice-delivery.entity.js';
import { NOTICE_EVENTS, type NoticeEvent } from '../notice-events.js';
import type { TestOutcome } from '../notice-tests.service.js';
import type { NoticeView } from '../notices.service.js';

const TIME = { type: 'string', format: 'date-time', example: '2026-11-20T09:30:00.000Z' } as const;
const ID = '0b6f9e3a-6a3c-4a58-9a0b-5d2f0c1f7e11';
const SECRET = {
  pattern: '^whsec_',
  description: 'Verifies the signatures, as Standard Webhooks says. Only this answer shows it.',
  example: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
};
const text = (example: string, description?: string) =>
  ({ type: 'string', nullable: true, example, ...(description === undefined ? {} : { description }) }) as const;

export class NoticeChatResponseDto {
  @ApiProperty({ example: ID })
  channel_id: string;

  @ApiProperty({ example: '200300400' })
  chat_id: string;

  @ApiProperty(text('17'))
  topic: string | null;

  static from({ channel_id, chat_id, topic }: NoticeView['notice']): NoticeChatResponseDto | null {
    return channel_id === null || chat_id === null ? null : { channel_id, chat_id, topic };
  }
}

export class NoticeResponseDto {
  @ApiProperty({ example: ID })
  id: string;

  @ApiProperty({ example: 'On-call' })
  name: string;

  @ApiProperty(text('https://hooks.example.com/…', 'Scheme and host: the rest may be a secret.'))
  url: string | null;

  @ApiProperty({ type: () => NoticeChatResponseDto, nullable: true, description: 'Null for a URL.' })
  chat: NoticeChatResponseDto | null;

  @ApiProperty({ enum: NOTICE_EVENTS, isArray: true })
  events: readonly NoticeEvent[];

  @ApiProperty(text('support', 'Null for all agents.'))
  agent_id: string | null;

  @ApiProperty({ description: 'Whether `run_completed` has the answer.' })
  include_answer: boolean;

  @ApiProperty()
  enabled: boolean;

  @ApiProperty(
    text('the receiver answered 410 Gone', 'Why the server disabled it: after a 410, or 3 days without success.'),
  )
  disabled_reason: string | null;

  @ApiProperty(
    text(
      'the receiver answered 503',
      'Of the last attempt; null after a success, also of a test, and once it is enabled again or has a new URL or secret.',
    ),
  )
  last_error: string | null;
  @ApiProperty({ ...TIME, nullable: true, description: 'The first failed attempt since then.' })
  failing_since: string | null;

  @ApiProperty({ type: 'integer', description: 'Deliveries that wait. At most 10,000; more are dropped.', example: 0 })
  waiting: number;

  @ApiProperty(TIME)
  created_at: string;

  @ApiProperty(TIME)
  updated_at: string;

  static from({ notice, events, waiting }: NoticeView): NoticeResponseDto {
    const { id, name, url, agent_id, enabled, disabled_reason, last_error, failing_since } = notice;
    return {
      ...{ id, name, url: url === null ? null : shownUrl(url), chat: NoticeChatResponseDto.from(notice) },
      ...{ events, agent_id, include_answer: notice.include_answer },
      ...{ enabled, disabled_reason, last_error, waiting },
      failing_since: isoTimeOrNull(failing_since),
      created_at: isoTime(Number(notice.created_at)),
      updated_at: isoTime(Number(notice.updated_at)),
    };
  }
}

export class CreatedNoticeResponseDto extends NoticeResponseDto {
  @ApiProperty({ ...SECRET, type: 'string', nullable: true, description: `${SECRET.description} Null for a chat.` })
  secret: string | null;

  static fromCreated({ view, secret }: { view: NoticeView; secret: string | null }): CreatedNoticeResponseDto {
    return { ...NoticeResponseDto.from(view), secret };
  }
}

export class NoticeListResponseDto {
  @ApiProperty({ type: () => [NoticeResponseDto] })
  items: NoticeResponseDto[];

  static fromViews(views: readonly NoticeView[]): NoticeListResponseDto {
    return { items: views.map((view) => NoticeResponseDto.from(view)) };
  }
}

export class NoticeSecretResponseDto {
  @ApiProperty(SECRET)
  secret: string;
}

export class NoticeTestResponseDto {
  @ApiProperty({ description: 'Whether the receiver answered 2xx, or the message was queued in the chat.' })
  delivered: boolean;

  @ApiProperty({ type: 'integer', nullable: true, description: 'Of the answer; null for none.', example: 204 })
  status: number | null;

  @ApiProperty({ type: 'integer', description: 'Milliseconds.', example: 120 })
  ms: number;

  @ApiProperty(text('the connection failed (ECONNREFUSED)'))
  error: string | null;

  static from({ isDelivered, status, ms, error }: TestOutcome): NoticeTestResponseDto {
    return { delivered: isDelivered, status, ms, error };
  }
}

export class NoticeDeliveryDto {
  @ApiProperty({ description: 'The `webhook-id` of every attempt.', example: 'msg_p5jXN8AQM9LWM0D4loKWxJ' })
  id: string;

  @ApiProperty({ enum: NOTICE_EVENTS })
  type: string;

  @ApiProperty({
    enum: DELIVERY_STATUSES,
    description: '`failed`: given up after the last attempt, or a 410. `dropped`: too many waited.',
  })
  status: DeliveryStatus;

  @ApiProperty(text('support'))
  agent_id: string | null;

  @ApiProperty(text('order-4711'))
  thread_id: string | null;

  @ApiProperty(text('5d2f0c1f-6a3c-4a58-9a0b-0b6f9e3a7e11'))
  trace_id: string | null;

  @ApiProperty({ type: 'integer', example: 1 })
  attempts: number;

  @ApiProperty({ ...TIME, nullable: true, description: 'When to try again; null once it no longer waits.' })
  next_attempt_at: string | null;

  @ApiProperty({ type: 'integer', nullable: true, description: 'HTTP status of the last answer.', example: 200 })
  last_status: number | null;

  @ApiProperty(text('the receiver answered 503'))
  last_error: string | null;

  @ApiProperty(text('{"ok":true}', 'The beginning of the last answer.'))
  last_answer: string | null;

  @ApiProperty(TIME)
  created_at: string;

  static from(delivery: NoticeDelivery): NoticeDeliveryDto {
    const { id, type, status, agent_id, thread_id, trace_id, attempts, next_at, created_at } = delivery;
    const { last_status, last_error, last_answer } = delivery;
    return {
      ...{ id, type, status, agent_id, thread_id, trace_id, attempts },
      next_attempt_at: isoTimeOrNull(next_at),
      ...{ last_status, last_error, last_answer, created_at: isoTime(Number(created_at)) },
    };
  }
}

export class NoticeDeliveryListDto extends PageDto {
  @ApiProperty({ type: () => [NoticeDeliveryDto] })
  items: NoticeDeliveryDto[];

  static fromPage({ items, next_cursor }: Page<NoticeDelivery>, total?: number): NoticeDeliveryListDto {
    return {
      items: items.map((item) => NoticeDeliveryDto.from(item)),
      next_cursor,
      ...(total !== undefined && { total }),
    };
  }
}

function shownUrl(url: string): string {
  const { origin, pathname, search } = new URL(url);
  return pathname === '/' && search === '' ? `${origin}/` : `${origin}/…`;
}
