import { ApiProperty } from '@nestjs/swagger';
import { PageDto } from '../../../http/page-query.dto.js';
import { StepFiguresDto } from './thread-checkpoint.dto.js';

const PLACES = {
  description: 'Places in the log of the thread, as ranges with both ends included.',
  example: '0-59,64',
};

/** A step of a run: its figures, and which messages it had. Documentation only. */
export class ThreadStepDto extends StepFiguresDto {
  @ApiProperty({ type: 'integer', minimum: 1, description: 'The attempt of the run.', example: 1 })
  attempt: number;

  @ApiProperty({ format: 'date-time', description: 'When its report arrived.', example: '2026-11-20T09:30:01.250Z' })
  reported_at: string;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Number of messages in its history.', example: 61 })
  history_length: number;

  @ApiProperty(PLACES)
  history_places: string;

  @ApiProperty(PLACES)
  history_meta_places: string;

  @ApiProperty({ description: 'As `cursor` of checkpoints or steps, continues after this step.' })
  cursor: string;
}

export class ThreadStepListDto extends PageDto {
  @ApiProperty({ type: () => [ThreadStepDto] })
  items: ThreadStepDto[];
}

export class ThreadMessagesDto {
  @ApiProperty({ type: 'array', items: {}, description: 'Messages exactly as reported, in the order of the places.' })
  history: unknown[];

  @ApiProperty({ type: 'array', items: {}, description: 'Times and tokens, in the order of their places.' })
  history_meta: unknown[];
}
