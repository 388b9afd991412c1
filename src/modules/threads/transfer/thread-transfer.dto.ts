import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString } from 'class-validator';
import { EmptyCounts } from '../../../http/empty-query.js';
import type { ImportedThread } from './thread-import.service.js';

export class ImportThreadQueryDto {
  @ApiPropertyOptional({ description: 'Another id for the imported thread.', example: 'thread-1-copy' })
  @EmptyCounts()
  @IsOptional()
  @IsString({ message: 'must be given once' })
  as?: string;
}

export class ImportedThreadDto {
  @ApiProperty({ example: 'thread-1' })
  thread_id: string;

  @ApiProperty({ type: 'integer', minimum: 0, example: 2 })
  runs: number;

  @ApiProperty({
    type: 'integer',
    minimum: 0,
    description: 'Including those that later reports replaced.',
    example: 14,
  })
  checkpoints: number;

  @ApiProperty({ type: 'integer', minimum: 0, example: 30 })
  messages: number;

  static from({ threadId, rows }: ImportedThread): ImportedThreadDto {
    const count = (table: string) => rows.get(table) ?? 0;
    return { thread_id: threadId, runs: count('run'), checkpoints: count('checkpoint'), messages: count('message') };
  }
}
