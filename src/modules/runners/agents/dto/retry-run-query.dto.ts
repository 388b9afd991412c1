import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';

export class RetryRunQueryDto {
  @ApiPropertyOptional({
    description: 'The agent, if several agents have a run with this trace.',
    example: 'support',
  })
  @IsOptional()
  @IsString()
  agent_id?: string;
}
