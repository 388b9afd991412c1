import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ANY_JSON } from '../../../http/schemas.js';
import { UncountedPageDto } from '../../../http/page-query.dto.js';
import { ProblemDto } from '../../../http/problem.dto.js';
import { EFFECT_KINDS, EFFECT_STATES, type EffectKind, type EffectState } from '../effect.entity.js';

const OUTCOMES = ['completed', 'failed', 'not_done', 'unknown'] as const;

/** A tool call that changes the world, without its long parts. */
export class EffectSummaryDto {
  @ApiProperty({ example: 'thread-1' })
  thread_id: string;

  @ApiProperty({ description: 'What the effect does, in your words.', example: 'refund:order-4711' })
  key: string;

  @ApiProperty({ description: 'The run of the last claim.', example: 'trace-1' })
  trace_id: string;

  @ApiProperty({ example: 'support' })
  agent_id: string;

  @ApiProperty({ example: 'issue_refund' })
  tool: string;

  @ApiProperty({ enum: EFFECT_KINDS })
  kind: EffectKind;

  @ApiProperty({ type: String, nullable: true, description: "The framework's id of the call.", example: 'call_1' })
  call_id: string | null;

  @ApiProperty({ enum: EFFECT_STATES })
  state: EffectState;

  @ApiProperty({ description: 'It was started, and its outcome is unknown.', example: false })
  in_doubt: boolean;

  @ApiProperty({ type: 'integer', minimum: 1, description: 'How often it was claimed.', example: 1 })
  attempt: number;

  @ApiProperty({ type: String, nullable: true, example: 'worker-1' })
  holder: string | null;

  @ApiProperty({ format: 'date-time', description: 'When it was last claimed.' })
  started_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  settled_at: string | null;

  @ApiProperty({ description: 'The result was too large to be kept.', example: false })
  result_omitted: boolean;

  @ApiProperty({ type: String, nullable: true, description: 'The person who settled it.', example: 'ada' })
  decided_by: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'The bank shows the transfer' })
  reason: string | null;
}

/** A tool call that changes the world, and its outcome. Documentation only: the server sends the stored texts unchanged. */
export class EffectDto extends EffectSummaryDto {
  @ApiProperty({ ...ANY_JSON, description: 'Exactly as claimed.', example: { order: 4711 } })
  args: unknown;

  @ApiProperty({ ...ANY_JSON, description: 'Exactly as reported.', example: { transfer: 'T-1' } })
  result: unknown;

  @ApiProperty({ ...ANY_JSON, description: 'Exactly as reported.', example: null })
  error: unknown;
}

export class EffectListDto extends UncountedPageDto {
  @ApiProperty({ type: () => [EffectDto] })
  items: EffectDto[];
}

/** Documentation only: bodies are read as bytes, so that arguments stay exact. */
export class ClaimEffectDto {
  @ApiProperty({ description: 'The run; it need not have been reported yet.', example: 'trace-1' })
  trace_id: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'The agent; by default that of the run.',
    example: 'support',
  })
  agent_id?: string | null;

  @ApiProperty({
    description:
      "What the effect does, not its position in the run. Unique within the thread and the agent; sub-agents share their agent's keys.",
    maxLength: 512,
    example: 'refund:order-4711',
  })
  key: string;

  @ApiProperty({ maxLength: 512, example: 'issue_refund' })
  tool: string;

  @ApiPropertyOptional({ ...ANY_JSON, description: 'The arguments, 1 MiB at most.', example: { order: 4711 } })
  args?: unknown;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: "The framework's id of the call. If an approval of the run contains the call, its decision applies.",
    example: 'call_1',
  })
  call_id?: string | null;

  @ApiPropertyOptional({
    nullable: true,
    enum: EFFECT_KINDS,
    default: 'write',
    description: '`idempotent` effects may run again while their outcome is unknown.',
  })
  kind?: EffectKind | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'Identifies this claim: resent, it gets the same response.',
    example: 'b7d3c0de',
  })
  claim_id?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: "The claimer's name, for people.",
    example: 'worker-1',
  })
  holder?: string | null;

  @ApiPropertyOptional({
    nullable: true,
    type: 'integer',
    description: "The current fence of the run's lease.",
    example: 1790000000000,
  })
  fence?: number | null;

  @ApiPropertyOptional({
    nullable: true,
    type: 'integer',
    minimum: 1,
    maximum: 31_536_000,
    default: 300,
    description: 'Seconds after which a `write` that was claimed without a lease is in doubt.',
  })
  doubt_after_seconds?: number | null;
}

/** Read as bytes, so that the result stays exact. */
export class SettleEffectDto {
  @ApiPropertyOptional({
    nullable: true,
    type: 'integer',
    minimum: 1,
    default: 1,
    description: 'The attempt that is meant.',
  })
  attempt?: number | null;

  @ApiProperty({
    enum: OUTCOMES,
    description:
      '`completed`: the call is never made again. `failed` and `not_done`: it had no effect and can be claimed again. `unknown`: it is in doubt.',
  })
  outcome: (typeof OUTCOMES)[number];

  @ApiPropertyOptional({ ...ANY_JSON, description: '1 MiB at most.', example: { transfer: 'T-1' } })
  result?: unknown;

  @ApiPropertyOptional({
    type: Boolean,
    nullable: true,
    description: 'The result is too large to be sent.',
    example: false,
  })
  result_omitted?: boolean | null;

  @ApiPropertyOptional({ ...ANY_JSON, description: '1 MiB at most.' })
  error?: unknown;

  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 4000, example: 'The bank shows the transfer' })
  reason?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: 4000,
    description: 'The person who found out. The server ignores it from tokens of scope `runner`.',
    example: 'ada',
  })
  decided_by?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description:
      "The claim's `claim_id`, which proves that the holder settles it. Without it, a token of scope `runner`, or of scope `admin` without `decided_by`, counts as the holder until a settlement with the `claim_id` says otherwise.",
  })
  claim_id?: string | null;
}

export class EffectConflictDto extends ProblemDto {
  @ApiPropertyOptional({ type: EffectSummaryDto, description: 'The current effect, if there is one.' })
  effect?: EffectSummaryDto;

  @ApiPropertyOptional({
    type: [String],
    description: 'With `ambiguous_effect`: the agents that have an effect with this key.',
    example: ['billing', 'support'],
  })
  agents?: string[];
}

/** Why a claim was refused that can never be granted in this form. */
export class EffectMismatchDto extends EffectConflictDto {
  @ApiPropertyOptional({
    type: [String],
    description: 'With `effect_mismatch`: what differs from the earlier claim, of `tool`, `kind` and `args`.',
    example: ['args'],
  })
  differs?: string[];
}
