import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsObject, IsString, ValidateNested } from 'class-validator';
import { UncountedPageDto } from '../../../http/page-query.dto.js';
import { ProblemDto } from '../../../http/problem.dto.js';
import { RunnerEventDto } from '../../runners/dto/event-batch.dto.js';
import { IngestionResponseDto } from '../../runners/dto/ingestion-response.dto.js';
import type { StateName } from '../state-identity.js';

const ID = '1ef4f797-8335-6428-8001-8a1503f9b875';
const DIGEST = '12ae32cb1ec02d01eda3581b127c1fee3b0dc53572ed6baf239721a03d82e126';
/** Checkpoints per deletion request. */
const MAX_NAMES = 1_000;
const NAMESPACE = { type: String, description: 'The namespace; empty for the graph itself.', default: '', example: '' };
const VERSION = { oneOf: [{ type: 'string' }, { type: 'number' }], description: 'Returned as sent.', example: 1 };

/** A serialised value. Documentation only: bodies are read as bytes. */
export class SerializedDto {
  @ApiProperty({ description: 'The tag of the serialiser.', maxLength: 512, example: 'json' })
  type: string;

  @ApiProperty({ format: 'byte', description: 'Base64 with padding.', example: 'WyJIZWxsbyJd' })
  data: string;
}

export class SentValueDto {
  @ApiProperty(VERSION)
  version: unknown;

  @ApiProperty({ description: 'The tag of the serialiser.', maxLength: 512, example: 'json' })
  type: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    format: 'byte',
    description: 'Base64 with padding.',
    example: 'WyJIZWxsbyJd',
  })
  data?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'Instead of `data`, if the thread already has the value: SHA-256 of the bytes in hexadecimal.',
    example: DIGEST,
  })
  digest?: string | null;
}

export class PutStateDto {
  @ApiPropertyOptional({ type: String, nullable: true, description: 'The checkpoint before it.', example: ID })
  parent_id?: string | null;

  @ApiProperty({ type: () => SerializedDto, description: 'The checkpoint without the values of its channels.' })
  checkpoint: SerializedDto;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Kept exactly; 1 MiB at most.',
    example: { source: 'loop', step: 1, parents: {} },
  })
  metadata: Record<string, unknown>;

  @ApiPropertyOptional({
    type: 'object',
    nullable: true,
    additionalProperties: { $ref: '#/components/schemas/SentValueDto' },
    description: 'The values by their channels, 10,000 at most.',
  })
  values?: Record<string, SentValueDto> | null;
}

export class StoredStateDto {
  @ApiProperty({ example: ID })
  checkpoint_id: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'string' },
    description: 'The digest of each value, by its channel.',
    example: { messages: DIGEST },
  })
  digests: Record<string, string>;
}

export class SentWriteDto extends SerializedDto {
  @ApiProperty({
    type: 'integer',
    description: 'Index of the write. A negative index replaces an earlier write; otherwise the first one stays.',
    example: 0,
  })
  idx: number;

  @ApiProperty({ maxLength: 512, example: 'messages' })
  channel: string;
}

export class PutWritesDto {
  @ApiProperty({ maxLength: 512, example: '8f14e45f-ceea-467f-a9d5-0c9c6a9e0f3a' })
  task_id: string;

  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 512, default: '', example: '~__pregel_pull, agent' })
  task_path?: string | null;

  @ApiProperty({ type: () => [SentWriteDto], description: '10,000 at most.' })
  writes: SentWriteDto[];
}

export class SentStepCheckpointDto extends PutStateDto {
  @ApiPropertyOptional({ ...NAMESPACE, nullable: true })
  ns?: string | null;

  @ApiProperty({ maxLength: 512, example: ID })
  checkpoint_id: string;
}

export class SentStepWritesDto extends PutWritesDto {
  @ApiPropertyOptional({ ...NAMESPACE, nullable: true })
  ns?: string | null;

  @ApiProperty({ maxLength: 512, description: 'Their checkpoint, which may come later.', example: ID })
  checkpoint_id: string;
}

/** What a graph stores and reports at a step. */
export class PutStepDto {
  @ApiPropertyOptional({ type: () => SentStepCheckpointDto, nullable: true })
  checkpoint?: SentStepCheckpointDto | null;

  @ApiPropertyOptional({ type: () => [SentStepWritesDto], nullable: true, description: 'Each task once.' })
  writes?: SentStepWritesDto[] | null;

  @ApiPropertyOptional({
    type: () => [RunnerEventDto],
    nullable: true,
    description: 'As in a batch of runner events. They are stored once the rest is.',
  })
  events?: RunnerEventDto[] | null;
}

export class StoredStepDto {
  @ApiProperty({ type: () => StoredStateDto, nullable: true })
  checkpoint: StoredStateDto | null;

  @ApiProperty({ type: () => IngestionResponseDto, nullable: true, description: 'Also where no event could be saved.' })
  events: IngestionResponseDto | null;
}

export class StateValueDto extends SerializedDto {
  @ApiProperty(VERSION)
  version: unknown;

  @ApiProperty({ description: 'SHA-256 of the bytes in hexadecimal.', example: DIGEST })
  digest: string;
}

export class StateWriteDto extends SentWriteDto {
  @ApiProperty({ example: '8f14e45f-ceea-467f-a9d5-0c9c6a9e0f3a' })
  task_id: string;

  @ApiProperty({ example: '~__pregel_pull, agent' })
  task_path: string;
}

class NamedStateDto {
  @ApiProperty({ example: 'thread-1' })
  thread_id: string;

  @ApiProperty({ description: 'As the writer named it.', example: 'support' })
  agent_id: string;

  @ApiProperty({ description: 'The namespace; empty for the graph itself.', example: '' })
  ns: string;

  @ApiProperty({ example: ID })
  checkpoint_id: string;

  @ApiProperty({ type: String, nullable: true, example: null })
  parent_id: string | null;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Exactly as sent.',
    example: { source: 'loop', step: 1, parents: {} },
  })
  metadata: Record<string, unknown>;
}

/** A checkpoint with its values and writes. */
export class StateDto extends NamedStateDto {
  @ApiProperty({ type: () => SerializedDto })
  checkpoint: SerializedDto;

  @ApiProperty({ type: 'object', additionalProperties: { $ref: '#/components/schemas/StateValueDto' } })
  values: Record<string, StateValueDto>;

  @ApiProperty({ type: () => [StateWriteDto], description: 'Sorted by `task_path`, `task_id` and `idx`.' })
  writes: StateWriteDto[];
}

export class StateListDto extends UncountedPageDto {
  @ApiProperty({ type: () => [StateDto] })
  items: StateDto[];
}

/** A checkpoint without anything serialised. */
export class StateOutlineDto extends NamedStateDto {
  @ApiProperty({ description: 'The channels that have a value.', example: ['messages'] })
  channels: string[];
}

export class StateIndexDto extends UncountedPageDto {
  @ApiProperty({ type: () => [StateOutlineDto] })
  items: StateOutlineDto[];
}

export class StateNameDto {
  @ApiPropertyOptional({ description: 'The namespace; empty for the graph itself.', default: '', example: 'child:1f' })
  @IsString({ message: 'must be a string' })
  ns: string = '';

  @ApiProperty({ example: ID })
  @IsString({ message: 'must be a string' })
  checkpoint_id: string;
}

export class DeleteStatesDto {
  @ApiProperty({ type: () => [StateNameDto], maxItems: MAX_NAMES })
  @IsArray({ message: 'must be an array of checkpoints' })
  @ArrayMaxSize(MAX_NAMES, { message: `must have at most ${MAX_NAMES} entries` })
  @ValidateNested({ each: true })
  @IsObject({ each: true, message: 'must be an array of checkpoints' })
  @Type(() => StateNameDto)
  checkpoints: StateNameDto[];

  toNames(): StateName[] {
    return this.checkpoints.map(({ ns, checkpoint_id }) => ({ ns, checkpointId: checkpoint_id }));
  }
}

export class UnknownDigestDto extends ProblemDto {
  @ApiPropertyOptional({ description: 'The channels whose digests the thread does not have.', example: ['messages'] })
  channels?: string[];
}
