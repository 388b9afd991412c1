import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { knownEtagsOf } from '../../../http/known-etags.js';
import type { LatestQuery } from '../runners-latest.service.js';

const RESUME_MODES: Readonly<Record<string, LatestQuery['resume']>> = { true: 'all', false: 'none', safe: 'safe' };

export class LatestQueryDto {
  @ApiPropertyOptional({ description: 'Only the run with this trace.', example: 'trace-7' })
  @IsOptional()
  @IsString()
  trace_id?: string;

  @ApiPropertyOptional({ description: 'Only checkpoints of this agent.', example: 'support' })
  @IsOptional()
  @IsString()
  agent_id?: string;

  @ApiPropertyOptional({
    description:
      'Seconds (at most 60) to wait until the ETag differs from If-None-Match, or without that header until the next change.',
    example: '30',
  })
  @IsOptional()
  @Matches(/^([0-5]?\d(\.\d{1,3})?|60(\.0{1,3})?)$/, { message: 'must be a number of seconds from 0 to 60' })
  wait?: string;

  @ApiPropertyOptional({
    description:
      "Whether to replace an empty history with the run's last history that was not empty: `true` and `safe` always, `false` never; by default only if `history_meta` is longer. `safe` is for an agent that resumes after an interruption: it returns the checkpoint of the topmost run, even while a sub-run waits, with `effects`, `history_for_model`, `repairs` and `waiting`.",
    enum: ['true', 'false', 'safe'],
  })
  @IsOptional()
  @IsIn(['true', 'false', 'safe'], { message: 'must be true, false or safe' })
  resume?: string;

  @ApiPropertyOptional({
    description:
      "`none`: `history` and `history_meta` are empty, `history_length` is the number of messages, `event_id` the id of the event that reported it, and `rev` the number of the thread's last change to it. For callers that only watch a run. `history_for_model` stays whole.",
    enum: ['full', 'none'],
    default: 'full',
  })
  @IsOptional()
  @IsIn(['full', 'none'], { message: 'must be full or none' })
  history?: string;

  /**
   * @param allowedAgents the agents that the caller may speak for; null for all
   * @param ifNoneMatch the unparsed header
   */
  toQuery(threadId: string, allowedAgents: readonly string[] | null, ifNoneMatch: string | undefined): LatestQuery {
    const isWithoutLists = this.history === 'none';
    const mode = RESUME_MODES[this.resume ?? ''] ?? 'with_metadata';
    return {
      threadId,
      allowedAgents,
      filter: { traceId: this.trace_id ?? null, agentId: this.agent_id ?? null },
      isWithoutLists,
      resume: isWithoutLists && mode !== 'safe' ? 'none' : mode,
      waitMs: Math.round(Number(this.wait ?? 0) * 1000),
      knownEtags: knownEtagsOf(ifNoneMatch),
    };
  }
}
