import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CALL_DECISIONS, MAX_ANSWER, type AllowedDecision } from '../../../common/contract/questions.js';
import { PageDto } from '../../../http/page-query.dto.js';
import { APPROVAL_KINDS, APPROVAL_STATUSES, type ApprovalKind, type ApprovalStatus } from '../approval.entity.js';
import { QuestionDto, TEXT_OR_TEXTS } from './question.dto.js';

const VERBS = ['approve', 'reject'] as const;
const ANSWERS = {
  type: 'object',
  additionalProperties: TEXT_OR_TEXTS,
  example: { q0: 'blue' },
} as const;
const ANY_JSON = { oneOf: [{ type: 'object' }, { type: 'array', items: {} }, { type: 'string' }] };
/** Agents may report calls that are not objects. */
const REPORTED_JSON = { oneOf: [...ANY_JSON.oneOf, { type: 'number' }, { type: 'boolean' }] };
const ANY_JSON_OR_NULL = orNull(ANY_JSON);
const REPORTED_JSON_OR_NULL = orNull(REPORTED_JSON);

function orNull({ oneOf }: { oneOf: readonly object[] }) {
  return { anyOf: oneOf.map((kind) => ({ ...kind, nullable: true })) };
}

/** One tool call of an approval. */
export class ToolCallDto {
  @ApiProperty({ type: 'integer', example: 0 })
  index: number;

  @ApiProperty({ type: String, nullable: true, description: "The framework's id of the call.", example: 'call_1' })
  id: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'issue_refund' })
  name: string | null;

  @ApiProperty({
    ...REPORTED_JSON_OR_NULL,
    description: 'The arguments, exactly as reported.',
    example: { order: 4711 },
  })
  args: unknown;

  @ApiProperty({ enum: [...VERBS, 'answer'], nullable: true, description: 'Null before a decision.' })
  decision: 'approve' | 'reject' | 'answer' | null;

  @ApiProperty({ ...ANY_JSON_OR_NULL, description: 'Arguments to use instead of `args`.' })
  edited_args: unknown;

  @ApiPropertyOptional({ ...ANSWERS, description: 'With `answer`: the answers, by the ids of the questions.' })
  answers?: Record<string, string | string[]>;

  @ApiPropertyOptional({
    type: () => [QuestionDto],
    description: 'Only of a call that asks questions, in a checkpoint that declares the feature `answer`.',
  })
  questions?: QuestionDto[];

  @ApiPropertyOptional({
    enum: CALL_DECISIONS,
    isArray: true,
    description: 'All that people may decide; absent for no limit. `respond` answers the questions.',
    example: ['approve', 'reject'],
  })
  allowed_decisions?: AllowedDecision[];

  @ApiPropertyOptional({ description: 'The reason for this call alone, if there is one.', example: 'Too much money' })
  reason?: string;

  @ApiPropertyOptional({ description: 'The rule that decided this call; absent if a person did.' })
  rule_id?: string;

  @ApiProperty({
    ...REPORTED_JSON_OR_NULL,
    description: 'The call exactly as reported; null if it is too large to show.',
  })
  raw: unknown;
}

/** Tool calls that wait, or waited, for a person. Documentation only: the stored texts are sent. */
export class ApprovalDto {
  @ApiProperty({ example: 'trace-1' })
  trace_id: string;

  @ApiProperty({ type: 'integer', example: 3 })
  step: number;

  @ApiProperty({ example: 'thread-1' })
  thread_id: string;

  @ApiProperty({ example: 'support' })
  agent_id: string;

  @ApiProperty({ type: String, nullable: true, example: null })
  parent_trace_id: string | null;

  @ApiProperty({ enum: APPROVAL_KINDS, description: '`question` if a call asks questions: it takes answers.' })
  kind: ApprovalKind;

  @ApiProperty({ enum: APPROVAL_STATUSES })
  status: ApprovalStatus;

  @ApiProperty({ type: () => [ToolCallDto] })
  tool_calls: ToolCallDto[];

  @ApiPropertyOptional({
    description:
      'True if the calls exceed 1,048,576 characters or 10,000 calls, otherwise absent: some show only id and name, with `raw` null.',
    example: true,
  })
  tool_calls_cut?: boolean;

  @ApiProperty({
    description: 'Hash of the exact calls; send it with the decision.',
    example: 'q8Yt0bq3kJ1x2Zr5m9Vw7A',
  })
  digest: string;

  @ApiProperty({
    type: [String],
    description: 'The parts of a decision that the agent declares to support.',
    example: ['per_call'],
  })
  approval_features: string[];

  @ApiProperty({ type: 'integer', description: 'The attempt of the run, from 1.', example: 1 })
  attempt: number;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  expires_at: string | null;

  @ApiProperty({ type: 'integer', description: 'How often people were reminded of it.', example: 0 })
  reminded: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  decided_at: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'ada' })
  decided_by: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description: "Name of the token, `console`, or the server's own action.",
  })
  decided_through: string | null;

  @ApiProperty({ type: String, nullable: true })
  reason: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'The standing rule that decided; null if none did. Then `decided_by` is `rule:` and this id, `decided_through` is `rule`, and `reason` is the note of the rule.',
  })
  rule_id: string | null;
}

/** The response to a decision. */
export class DecidedApprovalDto extends ApprovalDto {
  @ApiProperty({ enum: [true], description: 'The decision stands.', example: true })
  ok: true;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'The same as `step`.', example: 3 })
  step_index: number;
}

export class ApprovalListDto extends PageDto {
  @ApiProperty({ type: () => [ApprovalDto] })
  items: ApprovalDto[];
}

/** A decision on one call. */
export class CallDecisionDto {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'The call; each at most once.', example: 0 })
  index: number;

  @ApiProperty({ enum: VERBS })
  decision: 'approve' | 'reject';

  @ApiPropertyOptional({ ...ANY_JSON_OR_NULL, description: 'Arguments to use instead; needs the feature `edit_args`.' })
  args?: unknown;

  @ApiPropertyOptional({ type: String, nullable: true, example: 'Too much money' })
  reason?: string | null;
}

/** The fields of every decision. */
class SaidDto {
  @ApiPropertyOptional({ type: String, nullable: true, maxLength: 4000, example: 'Checked with the customer' })
  reason?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    maxLength: 4000,
    description:
      'Who decided, as free text. A session of the console may give only its own name, which is its default.',
    example: 'ada',
  })
  decided_by?: string | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'Digest of the calls that the person saw; the server refuses the decision if they differ.',
  })
  digest?: string | null;
}

/** The optional body of a decision. Read as bytes to keep edited arguments exact. */
export class DecisionDto extends SaidDto {
  @ApiPropertyOptional({
    type: () => [CallDecisionDto],
    nullable: true,
    description: 'Decisions for single calls; the rest take the verb of the path. Needs the feature `per_call`.',
  })
  decisions?: CallDecisionDto[] | null;
}

/** Answers to the questions of one call. */
export class CallAnswersDto {
  @ApiProperty({ type: 'integer', minimum: 0, description: 'The call; each at most once.', example: 0 })
  index: number;

  @ApiProperty({
    ...ANSWERS,
    description: `A text, or a list of texts, by the id of each question: values of options, or up to ${MAX_ANSWER} characters of the person's own words where the question allows it.`,
  })
  values: Record<string, string | string[]>;
}

/** The body of an answer. */
export class AnswerDto extends SaidDto {
  @ApiProperty({
    type: () => [CallAnswersDto],
    minItems: 1,
    description: 'An entry for each call that asks questions.',
  })
  answers: CallAnswersDto[];

  @ApiPropertyOptional({
    type: () => [CallDecisionDto],
    nullable: true,
    description: 'An entry for each call that asks none. `reject` also declines a question.',
  })
  decisions?: CallDecisionDto[] | null;
}
