import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { isoTime } from '../../../../common/clock.js';
import { ProblemDto } from '../../../../http/problem.dto.js';
import type { GrantedLease, LeaseView } from '../../../threads/journal/run-leases.service.js';

const EXPIRES_AT = {
  format: 'date-time',
  description: 'When others may take it.',
  example: '2026-11-22T09:30:00.000Z',
};

/** The lease as its holder gets it. */
export class GrantedLeaseDto {
  @ApiProperty({
    type: 'integer',
    format: 'int64',
    description: 'Put it into every event of the run. The server rejects events of earlier holders.',
    example: 1795349503459,
  })
  fence: number;

  @ApiProperty({ example: 'worker-3:7f2c' })
  holder: string;

  @ApiProperty(EXPIRES_AT)
  expires_at: string;

  static from({ fence, holder, expiresAtMs }: GrantedLease): GrantedLeaseDto {
    return { fence, holder, expires_at: isoTime(expiresAtMs) };
  }
}

/** The lease as everybody sees it. */
export class LeaseDto {
  @ApiProperty({ example: 'worker-3:7f2c' })
  holder: string;

  @ApiProperty(EXPIRES_AT)
  expires_at: string;

  @ApiProperty({ description: 'False once it has expired. Events without its fence are still rejected.' })
  live: boolean;

  static from({ holder, expiresAtMs, isLive }: LeaseView): LeaseDto {
    return { holder, expires_at: isoTime(expiresAtMs), live: isLive };
  }
}

export class LeaseConflictDto extends ProblemDto {
  @ApiPropertyOptional({ description: 'With `lease_held`: the holder.', example: 'worker-3:7f2c' })
  holder?: string;

  @ApiPropertyOptional({ ...EXPIRES_AT, description: 'With `lease_held`: when it expires unless renewed.' })
  expires_at?: string;
}
