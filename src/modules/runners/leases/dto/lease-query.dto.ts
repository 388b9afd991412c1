import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Matches } from 'class-validator';
import { invalidField } from '../../../../common/domain-error.js';

export class LeaseQueryDto {
  @ApiPropertyOptional({
    description: 'The agent, if several agents have a run with this trace.',
    example: 'support',
  })
  @IsOptional()
  @IsString()
  agent_id?: string;
}

export class ReleaseLeaseQueryDto {
  @ApiProperty({
    type: 'integer',
    format: 'int64',
    minimum: 1,
    description: 'The fence of the lease.',
    example: 1795349503459,
  })
  @Matches(/^[1-9]\d{0,15}$/, { message: 'must be the number that a lease gave' })
  fence: string;

  /** @throws DomainError `invalid_request` */
  toFence(): number {
    const fence = Number(this.fence);
    if (!Number.isSafeInteger(fence)) throw invalidField('fence', 'must be the number that a lease gave');
    return fence;
  }
}
