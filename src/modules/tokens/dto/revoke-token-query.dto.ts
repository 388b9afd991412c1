import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional } from 'class-validator';

export class RevokeTokenQueryDto {
  @ApiPropertyOptional({
    enum: ['true', 'false'],
    default: 'false',
    description: '`true` revokes all tokens that it has made, too, and what those have made.',
  })
  @IsOptional()
  @IsIn(['true', 'false'], { message: 'must be true or false' })
  with_children?: 'true' | 'false';
}
