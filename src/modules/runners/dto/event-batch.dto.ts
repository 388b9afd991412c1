import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** Documentation only: bodies are read as bytes, so that messages stay exact. */
export class RunnerEventDto {
  @ApiProperty({
    description:
      "thread_started, checkpoint, thread_completed, thread_error, thread_budget_exceeded, budget_warning, thread_idle, heartbeat, effect_settled (the members of `PUT .../effects/{key}`, with thread_id and key), attachment (a file for the chat that the run answers: `digest` and `size_bytes` of what `PUT /v1/runners/threads/{thread_id}/attachments/{sha256}` has stored, and `name`, `media_type`, `caption` if wanted), and workflow_started, team_started with their _completed and _failed; other types are only stored in the thread's log.",
    example: 'checkpoint',
  })
  type: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      "Only thread_id is mandatory; unknown members are stored and returned, except what `latest` has added to its response. A checkpoint of an event with an `id` may carry `history_base` `{id, length, is_latest?}`: the history then starts with the first `length` messages (and as many entries of metadata) of the checkpoint that the agent reported with that event id in this thread, and continues with `history` and `history_meta`. With `is_latest: true`, that checkpoint must be the run's latest. With `is_latest: true` and `length: 0` the lists are whole; `id` is null if the run's latest checkpoint has no event id, or the run has no checkpoint. `history_base` is not returned.",
    example: {
      thread_id: 'thread-1',
      trace_id: 'trace-1',
      agent_id: 'support',
      step_index: 0,
      status: 'in_progress',
      history: [{ role: 'user', content: 'Hello' }],
      history_meta: [{ ts: '2026-01-31T09:30:00.000Z' }],
    },
  })
  data: Record<string, unknown>;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: "The event's id: the server treats any later event with it as a replay.",
    example: 'e-17',
  })
  id?: string | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    description: "The sender's sequence number of the event.",
    example: 17,
  })
  sequence_num?: number | null;

  @ApiPropertyOptional({
    oneOf: [{ type: 'string', nullable: true }, { type: 'number' }],
    description:
      'When it occurred: an ISO 8601 time (UTC unless it names a zone), or seconds or milliseconds since 1970.',
    example: '2026-01-31T09:30:00.000Z',
  })
  occurred_at?: string | number | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    format: 'int64',
    minimum: 1,
    description:
      "The fence of the sender's lease; the event must name the run's trace. If it is not the run's current fence, or is missing while the run is leased, the event is rejected with `stale_fence`. It is not stored, and has no effect inside `data`.",
    example: 1795349503459,
  })
  fence?: number | null;
}

export class EventBatchDto {
  @ApiProperty({ type: () => [RunnerEventDto], description: 'At most 1,000 (configurable).' })
  events: RunnerEventDto[];
}
