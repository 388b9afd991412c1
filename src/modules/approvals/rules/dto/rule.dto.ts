import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { PageDto } from '../../../../http/page-query.dto.js';
import { ProblemDto } from '../../../../http/problem.dto.js';
import { RULE_EFFECTS, type RuleEffect } from '../rule.js';
import { CALL_OUTCOMES, type CallOutcome } from '../rule-rehearsal.service.js';
import { RULE_STATUSES } from '../rule-view.js';

const ANY_VALUE = {
  oneOf: [
    { type: 'object' },
    { type: 'array', items: {} },
    { type: 'string' },
    { type: 'number' },
    { type: 'boolean' },
  ].map((kind) => ({ ...kind, nullable: true })),
};
const ANY_ARGS = { anyOf: ANY_VALUE.oneOf };

/** A condition on one value: `path` and one operator; only `min` and `max` go together. */
export class RuleConditionDto {
  @ApiProperty({ description: 'JSON pointer into the arguments.', example: '/command', maxLength: 512 })
  path: string;

  @ApiPropertyOptional({ anyOf: ANY_VALUE.oneOf, description: 'The same JSON value.', example: 'git status' })
  equals?: unknown;

  @ApiPropertyOptional({ type: 'array', items: ANY_ARGS, maxItems: 100, description: 'One of these values.' })
  one_of?: unknown[];

  @ApiPropertyOptional({ type: 'number', description: 'A number of at most 40 digits, compared exactly.' })
  min?: number;

  @ApiPropertyOptional({ type: 'number', description: 'The same.' })
  max?: number;

  @ApiPropertyOptional({
    description:
      'A text that begins with it. In `allow`, the rest has letters, digits and `_ - . / : @ + = ,`, but no `..`; an address must end its host with `/`.',
    example: 'https://api.example.com/v1/',
  })
  prefix?: string;

  @ApiPropertyOptional({
    description:
      'An absolute path in this folder. In `allow`, no segment below it is empty or begins with a dot. Links are not followed.',
    example: '/home/ada/project',
  })
  within?: string;

  @ApiPropertyOptional({
    description:
      'These words with single blanks between them; `*` is one relative name. In `allow`, no `*` may stand behind a shell, an interpreter or another program that runs what it is told.',
    example: 'git add *',
  })
  words?: string;

  @ApiPropertyOptional({
    enum: [true],
    description: 'Any value. In `allow`, none with a member called command, cmd, script, code or sql.',
  })
  any?: true;
}

/** A limit on the sum of the values at a path. */
export class RuleSumDto {
  @ApiProperty({ description: 'JSON pointer to a number that is not negative.', example: '/amount' })
  path: string;

  @ApiProperty({ type: 'number', description: 'In any 24 hours, added exactly.', example: 500 })
  per_day: number;
}

export class RuleLimitsDto {
  @ApiProperty({ type: 'integer', minimum: 1, maximum: 10_000, description: 'Calls in any 24 hours.', example: 50 })
  per_day: number;

  @ApiPropertyOptional({ type: () => RuleSumDto, nullable: true })
  sum?: RuleSumDto | null;
}

/** A rule to create. Documentation only: it is read as exact text. */
export class RuleDto {
  @ApiProperty({ enum: RULE_EFFECTS, description: '`deny` beats `ask`, which beats `allow`.' })
  effect: RuleEffect;

  @ApiProperty({
    type: [String],
    minItems: 1,
    maxItems: 100,
    description: 'Exact ids of agents; in `deny` and `ask`, a trailing `*` stands for any rest.',
    example: ['coder'],
  })
  agents: string[];

  @ApiProperty({ type: [String], minItems: 1, maxItems: 100, description: 'The same for tools.', example: ['Bash'] })
  tools: string[];

  @ApiPropertyOptional({
    type: () => [RuleConditionDto],
    nullable: true,
    maxItems: 30,
    description:
      'All of them must be true. In `allow`, every member of the arguments must lie at or below one of them.',
  })
  where?: RuleConditionDto[] | null;

  @ApiPropertyOptional({
    enum: ['none', 'any'],
    nullable: true,
    default: 'none',
    description:
      '`any`: an `allow` takes members that no condition names, but none called command, cmd, script, code or sql.',
  })
  other?: 'none' | 'any' | null;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    description: 'Only calls of agents that work in this folder (`cwd` of the call).',
    example: '/home/ada/project',
  })
  folder?: string | null;

  @ApiPropertyOptional({ type: () => RuleLimitsDto, nullable: true, description: 'An `allow` must have them.' })
  limits?: RuleLimitsDto | null;

  @ApiPropertyOptional({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'An `allow` ends after 90 days, or then, at most 366 days from now; other rules never, or then.',
  })
  expires_at?: string | null;

  @ApiProperty({ maxLength: 1000, description: 'Why; the reason of what it decides.', example: 'It changes nothing.' })
  note: string;
}

export class CreateRuleDto extends RuleDto {
  @ApiPropertyOptional({
    type: 'integer',
    minimum: 0,
    nullable: true,
    description: 'With how many decisions of people an `allow` may disagree: the number of `rule_disagrees`.',
  })
  disagreements?: number | null;
}

export class RehearseRuleDto {
  @ApiProperty({ type: () => RuleDto })
  rule: RuleDto;

  @ApiPropertyOptional({ type: String, format: 'date-time', nullable: true, description: 'Only calls decided since.' })
  since?: string | null;
}

/** A created rule. */
export class RuleResponseDto {
  @ApiProperty({ example: 'b51ca8d3-8f5c-4a8c-8a4b-0d6f2a4e6c1d' })
  id: string;

  @ApiProperty({ enum: RULE_STATUSES })
  status: (typeof RULE_STATUSES)[number];

  @ApiProperty({ enum: RULE_EFFECTS })
  effect: RuleEffect;

  @ApiProperty({ type: [String], example: ['coder'] })
  agents: string[];

  @ApiProperty({ type: [String], example: ['Bash'] })
  tools: string[];

  @ApiProperty({ type: () => [RuleConditionDto] })
  where: RuleConditionDto[];

  @ApiProperty({ enum: ['none', 'any'] })
  other: 'none' | 'any';

  @ApiProperty({ type: String, nullable: true })
  folder: string | null;

  @ApiProperty({ type: () => RuleLimitsDto, nullable: true })
  limits: RuleLimitsDto | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  expires_at: string | null;

  @ApiProperty({ example: 'It changes nothing.' })
  note: string;

  @ApiProperty({ type: 'integer', minimum: 0, description: 'Calls that it decided. An `ask` decides none.' })
  uses: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  last_used_at: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ type: String, nullable: true, description: 'The person, if signed in to the console.' })
  created_by: string | null;

  @ApiProperty({ description: 'Name of the token, or `console`.' })
  created_through: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  revoked_at: string | null;

  @ApiProperty({ type: String, nullable: true })
  revoked_by: string | null;

  @ApiProperty({ type: String, nullable: true })
  revoked_through: string | null;
}

export class RuleListDto extends PageDto {
  @ApiProperty({ type: () => [RuleResponseDto] })
  items: RuleResponseDto[];
}

/** What a rule would have said about a call that people decided. */
export class RehearsedCallSummaryDto {
  @ApiProperty({ example: 'trace-1' })
  trace_id: string;

  @ApiProperty({ type: 'integer', example: 3 })
  step: number;

  @ApiProperty({ example: 'thread-1' })
  thread_id: string;

  @ApiProperty({ example: 'coder' })
  agent_id: string;

  @ApiProperty({ description: 'Path of the approval.', example: '/approvals/trace-1/3?thread_id=thread-1' })
  link: string;

  @ApiProperty({ format: 'date-time', description: 'When the approval was opened.' })
  created_at: string;

  @ApiProperty({ type: 'integer', description: 'The call of the approval.', example: 0 })
  index: number;

  @ApiProperty({ type: String, nullable: true, example: 'Bash' })
  name: string | null;

  @ApiProperty({ enum: CALL_OUTCOMES, description: 'What people said.' })
  decision: CallOutcome;

  @ApiProperty({
    type: String,
    enum: RULE_EFFECTS,
    nullable: true,
    description: 'What the rule says; null for nothing.',
  })
  word: RuleEffect | null;

  @ApiProperty({ type: String, nullable: true, description: 'Why the rule says nothing; null if it does.' })
  why: string | null;
}

export class RehearsedCallDto extends RehearsedCallSummaryDto {
  @ApiProperty({ ...ANY_ARGS, description: 'The arguments; null if their JSON is longer than 16,384 characters.' })
  args: unknown;
}

export class RehearsalTotalDto {
  @ApiProperty({ type: 'integer', description: 'Calls of the agents and tools of the rule.', example: 230 })
  calls: number;

  @ApiProperty({ type: 'integer', description: 'Calls of these that the rule decides.', example: 214 })
  ruled: number;
}

/** By what people decided. */
export class RehearsalTotalsDto {
  @ApiProperty({ type: () => RehearsalTotalDto })
  approved: RehearsalTotalDto;

  @ApiProperty({ type: () => RehearsalTotalDto, description: 'Approved with other arguments.' })
  edited: RehearsalTotalDto;

  @ApiProperty({ type: () => RehearsalTotalDto })
  rejected: RehearsalTotalDto;

  @ApiProperty({ type: () => RehearsalTotalDto })
  expired: RehearsalTotalDto;
}

export class RehearsalDto {
  @ApiProperty({
    type: () => [RehearsedCallDto],
    description: 'At most 200 calls: first those on which the rule disagrees with people, then others that it decides.',
  })
  items: RehearsedCallDto[];

  @ApiProperty({ type: () => RehearsalTotalsDto })
  totals: RehearsalTotalsDto;

  @ApiProperty({
    type: 'integer',
    description:
      'Calls that an `allow` allows although people rejected or edited them, or a `deny` denies although they did not reject them.',
  })
  disagreements: number;

  @ApiProperty({ description: 'There are more than 10,000 calls, or reading them took more than 5 seconds.' })
  is_partial: boolean;
}

/** Why a rule was not created. */
export class RuleConflictDto extends ProblemDto {
  @ApiPropertyOptional({ type: 'integer', description: 'With `rule_disagrees`.' })
  disagreements?: number;

  @ApiPropertyOptional({ type: () => [RehearsedCallSummaryDto], description: 'With `rule_disagrees`: at most 20.' })
  items?: RehearsedCallSummaryDto[];

  @ApiPropertyOptional({ type: () => RehearsalTotalsDto, description: 'With `rule_disagrees`.' })
  totals?: RehearsalTotalsDto;

  @ApiPropertyOptional({ description: 'With `rule_disagrees`.' })
  is_partial?: boolean;
}

export class RuleSuggestionDto {
  @ApiProperty({ type: () => RuleDto, description: 'For `POST /v1/rules`.' })
  rule: RuleDto;

  @ApiProperty({ type: 'integer', description: 'How many approved calls it is based on.', example: 7 })
  calls: number;

  @ApiProperty({
    type: [String],
    description: 'JSON pointers of values that it cannot bound. Until you add conditions for them, it allows nothing.',
    example: ['/description'],
  })
  open: string[];
}

export class RuleSuggestionsDto {
  @ApiProperty({ type: () => [RuleSuggestionDto] })
  items: RuleSuggestionDto[];
}
