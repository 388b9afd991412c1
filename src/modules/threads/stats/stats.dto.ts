import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { buildMessage, IsIn, IsOptional, IsString, ValidateBy } from 'class-validator';
import { invalidField } from '../../../common/domain-error.js';
import { instantMs, IsInstant } from '../list/instant.js';
import { SUM_PERIOD_MS } from '../entities/run-sum.entity.js';
import { STATS_BY, type StatsBy, type StatsQuery } from './stats-query.js';
import { isTimeZone, zoneMeant } from './zoned-time.js';

const DAY_MS = 24 * 3_600_000;
/** The default range without `since`. */
const DEFAULT_MS: Record<StatsBy, number> = { hour: DAY_MS, day: 30 * DAY_MS, agent: 30 * DAY_MS, model: 30 * DAY_MS };
const MAX_DAYS: Record<StatsBy, number> = { hour: 31, day: 366, agent: 3_660, model: 3_660 };
const COUNT = { type: 'integer', minimum: 0 } as const;

export class StatsQueryDto {
  @ApiPropertyOptional({
    description:
      'Runs that started at or after this time, rounded down to a quarter of an hour: an ISO 8601 time or date, in UTC unless it has a zone. Default: a day before `until`, and 30 days unless by hour.',
    example: '2026-11-01',
  })
  @IsOptional()
  @IsInstant()
  since?: string;

  @ApiPropertyOptional({
    description: "Runs that started before the end of this time's quarter of an hour. Default: now.",
    example: '2026-11-20T09:30:00Z',
  })
  @IsOptional()
  @IsInstant()
  until?: string;

  @ApiPropertyOptional({ enum: STATS_BY, default: 'hour' })
  @IsOptional()
  @IsIn(STATS_BY, { message: `must be one of ${STATS_BY.join(', ')}` })
  by: StatsBy = 'hour';

  @ApiPropertyOptional({
    default: 'UTC',
    description: 'IANA name of the time zone for hours and days. `Etc/Unknown`, which some browsers send, means UTC.',
    example: 'Europe/Lisbon',
  })
  @IsOptional()
  @ValidateBy({
    name: 'isTimeZone',
    validator: {
      validate: (value) => typeof value === 'string' && isTimeZone(zoneMeant(value)),
      defaultMessage: buildMessage(() => 'must be the IANA name of a time zone, such as Europe/Lisbon'),
    },
  })
  tz: string = 'UTC';

  @ApiPropertyOptional({ description: 'Only runs of this agent.', example: 'support' })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  agent_id?: string;

  @ApiPropertyOptional({ description: 'Only runs with this model.', example: 'gpt-4o' })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  model?: string;

  /** @throws DomainError `invalid` for a range that is too long, or ends before it begins */
  toQuery(nowMs: number): StatsQuery {
    const { by } = this;
    const timeZone = zoneMeant(this.tz);
    const untilMs = this.until === undefined ? nowMs : instantMs(this.until)!;
    const sinceMs = this.since === undefined ? untilMs - DEFAULT_MS[by] : instantMs(this.since)!;
    if (sinceMs > untilMs) throw invalidField('since', 'must not be after until');
    if (untilMs - sinceMs > MAX_DAYS[by] * DAY_MS) {
      throw invalidField('since', `must be at most ${MAX_DAYS[by]} days before until, by ${by}`);
    }
    const first = Math.floor(sinceMs / SUM_PERIOD_MS) * SUM_PERIOD_MS;
    return { by, timeZone, sinceMs: first, untilMs, agentId: this.agent_id ?? null, model: this.model ?? null };
  }
}

export class RunSumsDto {
  @ApiProperty({ ...COUNT, description: 'Started attempts of runs. Each turn of a chat and each restart counts.' })
  runs: number;

  @ApiProperty({ ...COUNT, description: 'Attempts that have completed.' })
  completed: number;

  @ApiProperty({ ...COUNT, description: 'Attempts that ended with `error` or `budget_exceeded`.' })
  failed: number;

  @ApiProperty({ ...COUNT, description: 'Tokens that they have reported so far.', example: 5400 })
  tokens: number;

  @ApiProperty({ type: 'number', minimum: 0, description: 'Cost so far, in US dollars.', example: 0.081 })
  cost_usd: number;
}

export class StatsItemDto extends RunSumsDto {
  @ApiProperty({
    description: "The start of the hour in UTC, the day, the agent's id, or the model (empty if unknown).",
    example: '2026-11-20T09:00:00.000Z',
  })
  key: string;
}

export class StatsDto {
  @ApiProperty({
    type: () => [StatsItemDto],
    description:
      'By hour or day: every one in the range, in order. By agent or model: those with runs, most expensive first.',
  })
  items: StatsItemDto[];

  @ApiProperty({ type: () => RunSumsDto })
  totals: RunSumsDto;
}
