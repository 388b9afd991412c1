import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsInt, IsOptional, IsString, Length, Matches, Max, Min, NotEquals } from 'class-validator';
import { DomainError } from '../../../../common/domain-error.js';
import type { Principal } from '../../../../common/principal.js';
import type { LeaseAddress, LeaseClaim } from '../../../threads/journal/run-leases.service.js';

/** Seconds. */
const MIN_TTL = 5;
const MAX_TTL = 3600;
const DEFAULT_TTL = 60;
/** Also excludes lone surrogates, which no database stores. */
const NO_CONTROL_CHARACTERS = /^[^\p{Cc}\p{Cs}]*$/u;

export class ClaimLeaseDto {
  @ApiProperty({
    minLength: 1,
    maxLength: 200,
    description:
      'A name for this process alone: whoever gives the same name gets the same lease. A restarted process takes a new name.',
    example: 'worker-3:7f2c',
  })
  @Matches(NO_CONTROL_CHARACTERS, { message: 'must not contain control characters' })
  @Length(1, 200, { message: 'must have 1 to 200 characters' })
  @IsString({ message: 'must be a string' })
  holder: string;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    minLength: 1,
    maxLength: 512,
    description: 'The agent of a run that has not begun. Required for a token bound to several agents.',
    example: 'support',
  })
  @IsOptional()
  @NotEquals('..', { message: 'must not be . or ..' })
  @NotEquals('.', { message: 'must not be . or ..' })
  @Matches(NO_CONTROL_CHARACTERS, { message: 'must not contain control characters' })
  @Length(1, 512, { message: 'must have 1 to 512 characters' })
  @IsString({ message: 'must be a string' })
  agent_id?: string | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: MIN_TTL,
    maximum: MAX_TTL,
    default: DEFAULT_TTL,
    description: 'Seconds until others may take the lease. Renew it after a third of that.',
  })
  @IsOptional()
  @Max(MAX_TTL, { message: `must be at most ${MAX_TTL}` })
  @Min(MIN_TTL, { message: `must be at least ${MIN_TTL}` })
  @IsInt({ message: 'must be a whole number of seconds' })
  ttl_seconds?: number | null;

  @ApiPropertyOptional({
    type: 'integer',
    format: 'int64',
    nullable: true,
    minimum: 1,
    description: 'The current fence, for a handover: the caller gets the lease at once, with a new fence.',
    example: 1795349503459,
  })
  @IsOptional()
  @Max(Number.MAX_SAFE_INTEGER, { message: 'must be the number that a lease gave' })
  @Min(1, { message: 'must be the number that a lease gave' })
  @IsInt({ message: 'must be the number that a lease gave' })
  fence?: number | null;

  @ApiPropertyOptional({
    type: 'boolean',
    nullable: true,
    default: false,
    description: 'Takes the lease from whoever holds it. Needs the scope `admin`.',
  })
  @IsOptional()
  @IsBoolean({ message: 'must be true or false' })
  force?: boolean | null;

  toAddress(threadId: string, traceId: string, { agentIds, run }: Principal): LeaseAddress {
    return { threadId, traceId, agentId: this.agent_id ?? null, allowedAgents: agentIds, ownRun: run };
  }

  /** @throws DomainError `wrong_scope` */
  toClaim({ scope }: Principal): LeaseClaim {
    if (this.force && scope !== 'admin') {
      throw new DomainError(
        'forbidden',
        'wrong_scope',
        `force: a token of scope ${scope} may not do this; one of scope admin may.`,
      );
    }
    return {
      holder: this.holder,
      ttlMs: (this.ttl_seconds ?? DEFAULT_TTL) * 1000,
      fence: this.fence ?? null,
      isForced: this.force ?? false,
    };
  }
}
