import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ProblemDto } from '../../../http/problem.dto.js';

export class LatestReportDto {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Id of the event that reported it, if it had one.',
    example: 'e-17',
  })
  id: string | null;

  @ApiProperty({ type: 'integer', example: 4 })
  step_index: number;

  @ApiProperty({ type: 'integer', description: 'Number of messages in its history.', example: 9 })
  length: number;
}

export class RejectedEventDto {
  @ApiProperty({ type: 'integer', description: 'Its position in `events`, from 0.', example: 1 })
  index: number;

  @ApiProperty({ type: String, nullable: true, description: 'Its type as reported.', example: 'checkpoint' })
  type: string | null;

  @ApiProperty({ description: 'What went wrong, for programs. Stable.', example: 'invalid_event' })
  code: string;

  @ApiProperty({
    description: 'The invalid fields and what was expected, or why the event may not be reported.',
    example: 'data.step_index: expected an integer from 0 to 2147483647, got a string',
  })
  detail: string;

  @ApiPropertyOptional({
    type: () => LatestReportDto,
    nullable: true,
    description:
      'With the code `base_mismatch`: the latest checkpoint of the run, or null. Send the event again with its whole history, under the same id.',
  })
  latest?: LatestReportDto | null;
}

/** An event that its sender probably meant differently. */
export class EventWarningDto {
  @ApiProperty({ type: 'integer', description: 'Its position in `events`, from 0.', example: 1 })
  index: number;

  @ApiProperty({
    description: 'What was probably meant: another type, or a fence next to `type` instead of inside `data`.',
    example: 'type: checkpont is unknown and was only stored; did you mean checkpoint?',
  })
  detail: string;
}

/** What the reporter must do. */
export class RunControlDto {
  @ApiProperty({ example: 'thread-1' })
  thread_id: string;

  @ApiProperty({ example: 'trace-1' })
  trace_id: string;

  @ApiProperty({ enum: ['cancel'], description: 'Stop the run: a person has cancelled it.', example: 'cancel' })
  action: 'cancel';

  @ApiPropertyOptional({ description: "The person's reason, if given.", example: 'It asks the wrong customer' })
  reason?: string;
}

/** The result of a batch, sent after all saved events are durable. */
export class IngestionResponseDto {
  @ApiProperty({ type: 'integer', description: 'Accepted events, including replays.', example: 2 })
  saved: number;

  @ApiProperty({ type: () => [RejectedEventDto], description: 'Rejected events.' })
  rejected: RejectedEventDto[];

  @ApiPropertyOptional({
    type: () => [EventWarningDto],
    description: 'Events that look like mistakes: a mistyped type, a fence inside `data`. Absent if there are none.',
  })
  warnings?: EventWarningDto[];

  @ApiPropertyOptional({
    type: () => [RunControlDto],
    description:
      "Cancelled runs among the events' runs, their parents, and the runs that heartbeats list as queued. Absent if there are none.",
  })
  control?: RunControlDto[];
}

export class RefusedBatchDto extends ProblemDto {
  @ApiPropertyOptional({
    type: () => [RejectedEventDto],
    description: 'With the code `no_event_saved`: the errors of each event.',
  })
  rejected?: RejectedEventDto[];
}
