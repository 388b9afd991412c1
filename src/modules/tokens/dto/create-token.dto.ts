import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Length,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import { Type } from 'class-transformer';
import { SCOPES, type Scope } from '../../../common/principal.js';
import type { TokenOrder } from '../tokens.service.js';

const MAX_EXPIRY_SECONDS = 10 * 366 * 24 * 3600;
const NOT_A_PATH = /^(?!\.{1,2}$)/;
/** Also excludes lone surrogates, which no database stores. */
const NO_CONTROL_CHARACTERS = /^[^\p{Cc}\p{Cs}]*$/u;

export class RunOfTokenDto {
  @ApiProperty({ minLength: 1, maxLength: 512, example: 'parcel-4711' })
  @Matches(NOT_A_PATH, { message: 'must not be . or ..' })
  @Matches(NO_CONTROL_CHARACTERS, { message: 'must not contain control characters' })
  @Length(1, 512, { message: 'must have 1 to 512 characters' })
  @IsString({ message: 'must be a string' })
  thread_id: string;

  @ApiProperty({ minLength: 1, maxLength: 512, example: 'run-9' })
  @Matches(NOT_A_PATH, { message: 'must not be . or ..' })
  @Matches(NO_CONTROL_CHARACTERS, { message: 'must not contain control characters' })
  @Length(1, 512, { message: 'must have 1 to 512 characters' })
  @IsString({ message: 'must be a string' })
  trace_id: string;

  @ApiProperty({
    type: 'integer',
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: "The fence of the run's lease. It applies to events that the holder sends without a fence.",
    example: 1763804940123,
  })
  @IsInt({ message: 'must be a whole number' })
  @Min(1, { message: 'must be at least 1' })
  @Max(Number.MAX_SAFE_INTEGER, { message: 'must be at most 9007199254740991' })
  fence: number;
}

export class CreateTokenDto {
  @ApiProperty({
    enum: SCOPES,
    description:
      '`admin` may do everything, `runner` reports and resumes runs, `approver` decides on tool calls, `reader` reads everything but tokens and changes nothing, `metrics` reads `GET /metrics`.',
  })
  @IsIn(SCOPES, { message: `must be one of ${SCOPES.join(', ')}` })
  scope: Scope;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    minLength: 1,
    maxLength: 200,
    description:
      'A name that helps people distinguish tokens; not `channel`, `console`, `default`, `expiry` or `rule`, which `decided_through` says of decisions without a token.',
    example: 'laptop of Kim',
  })
  @IsOptional()
  @Matches(NO_CONTROL_CHARACTERS, { message: 'must not contain control characters' })
  @Length(1, 200, { message: 'must have 1 to 200 characters' })
  @IsString({ message: 'must be a string' })
  name?: string | null;

  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    minItems: 1,
    maxItems: 100,
    description:
      'With scope `runner`: the only agents for which the holder may report and read, each with its sub-agents `NAME:*`. With scope `reader`: the holder sees only threads in which no other agent took part, and nothing that belongs to no agent. Absent means any.',
    example: ['support'],
  })
  @IsOptional()
  @IsArray({ message: 'must be an array of agent ids' })
  @ArrayNotEmpty({ message: 'must not be empty' })
  @ArrayMaxSize(100, { message: 'must have at most 100 entries' })
  @IsString({ each: true, message: 'must be an array of agent ids' })
  @Length(1, 512, { each: true, message: 'must be ids of 1 to 512 characters' })
  @Matches(NO_CONTROL_CHARACTERS, { each: true, message: 'must not contain control characters' })
  agent_ids?: string[] | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: MAX_EXPIRY_SECONDS,
    description: 'Absent means valid until revoked.',
    example: 86400,
  })
  @IsOptional()
  @IsInt({ message: 'must be a whole number of seconds' })
  @Min(1, { message: 'must be at least 1' })
  @Max(MAX_EXPIRY_SECONDS, { message: `must be at most ${MAX_EXPIRY_SECONDS}` })
  expires_in_seconds?: number | null;

  @ApiPropertyOptional({
    type: () => RunOfTokenDto,
    nullable: true,
    description:
      'With scope `runner`: the only run, with the runs below it, for which the holder may report; absent means any. Reading is not restricted further.',
  })
  @IsOptional()
  @ValidateNested()
  @IsObject({ message: 'must be an object with thread_id, trace_id and fence' })
  @Type(() => RunOfTokenDto)
  run?: RunOfTokenDto | null;

  toOrder(): TokenOrder {
    return {
      scope: this.scope,
      name: this.name ?? null,
      agentIds: this.agent_ids ?? null,
      expiresInSeconds: this.expires_in_seconds ?? null,
      run: this.run ? { threadId: this.run.thread_id, traceId: this.run.trace_id, fence: this.run.fence } : null,
    };
  }
}

export class RevokeTokenQueryDto {
  @ApiPropertyOptional({
    enum: ['true', 'false'],
    default: 'false',
    description: '`true` also revokes every token created with it, directly or indirectly.',
  })
  @IsOptional()
  @IsIn(['true', 'false'], { message: 'must be true or false' })
  with_children?: 'true' | 'false';
}
