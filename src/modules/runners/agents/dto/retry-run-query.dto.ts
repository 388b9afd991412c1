import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';

/** Query of a retry. */
export class RetryRunQueryDto {
  @ApiPropertyOptional({
    description: 'Whose run is meant, where several agents have one with this trace.',
    example: 'support',
  })
  @IsOptional()
  @IsString()
  agent_id?: string;
}
