import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { StartedRun } from '../agent-starts.service.js';

/** Documentation only: `invoke-body.ts` reads the body. */
export class InvokeAgentDto {
  @ApiProperty({ minLength: 1, description: 'The task for the agent.', example: 'Where is parcel 4711?' })
  message: string;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    minLength: 1,
    maxLength: 512,
    description: 'The thread to continue. Without it, the server creates a thread id.',
    example: 'parcel-4711',
  })
  thread_id?: string | null;

  @ApiPropertyOptional({
    type: 'object',
    nullable: true,
    additionalProperties: true,
    description: 'Passed to the agent unchanged.',
    example: { customer: 17 },
  })
  context?: Record<string, unknown> | null;
}

export class InvokedRunDto {
  @ApiProperty({ description: "The run's `trace_id`.", example: '0b2f2a3e-6c1d-4b57-9a35-8f0e1c6d7a21' })
  run_id: string;

  @ApiProperty({ example: 'parcel-4711' })
  thread_id: string;

  @ApiProperty({ enum: ['started'], example: 'started' })
  status: 'started';

  static from({ runId, threadId }: StartedRun): InvokedRunDto {
    return { run_id: runId, thread_id: threadId, status: 'started' };
  }
}
