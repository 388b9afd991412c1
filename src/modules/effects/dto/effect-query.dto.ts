import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, Matches } from 'class-validator';
import { knownEtagsOf } from '../../../http/known-etags.js';
import { UncountedPageQueryDto } from '../../../http/page-query.dto.js';
import { EFFECT_STATES } from '../effect.entity.js';
import type { WaitOptions } from '../../../database/long-poll.service.js';
import type { AllEffectsQuery, EffectsQuery, WantedState } from '../effects-query.service.js';
import type { EffectAddress } from '../effect-identity.js';

const STATES = ['in_doubt', ...EFFECT_STATES] as const;
const ALL_STATES = [...STATES, 'decided'] as const;
const WAIT = /^([0-5]?\d(\.\d{1,3})?|60(\.0{1,3})?)$/;
const WAIT_DESCRIPTION =
  'Seconds (at most 60) to wait until the ETag differs from If-None-Match, or without that header until the next change.';

function optionsOf(wait: string | undefined, ifNoneMatch: string | undefined): WaitOptions {
  return {
    waitMs: Math.round(Number(wait ?? 0) * 1000),
    knownEtags: knownEtagsOf(ifNoneMatch),
  };
}

export class AllEffectsQueryDto extends UncountedPageQueryDto {
  @ApiPropertyOptional({
    enum: ALL_STATES,
    default: 'in_doubt',
    description: '`decided` for effects that a person settled, latest decision first.',
  })
  @IsOptional()
  @IsIn(ALL_STATES, { message: `must be one of ${ALL_STATES.join(', ')}` })
  state: AllEffectsQuery['state'] = 'in_doubt';

  @ApiPropertyOptional({ description: 'Only effects of this agent.', example: 'support' })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  agent_id?: string;

  toQuery(): AllEffectsQuery {
    const { state, agent_id, limit, cursor } = this;
    return { state, agentId: agent_id ?? null, limit, cursor: cursor ?? null };
  }
}

export class ThreadEffectsQueryDto extends UncountedPageQueryDto {
  @ApiPropertyOptional({ enum: STATES, description: 'Only effects in this state.' })
  @IsOptional()
  @IsIn(STATES, { message: `must be one of ${STATES.join(', ')}` })
  state?: WantedState;

  @ApiPropertyOptional({ description: 'Only effects last claimed by this run.', example: 'trace-1' })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  trace_id?: string;

  @ApiPropertyOptional({ description: 'Only effects of this agent.', example: 'support' })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  agent_id?: string;

  @ApiPropertyOptional({ description: WAIT_DESCRIPTION, example: '30' })
  @IsOptional()
  @Matches(WAIT, { message: 'must be a number of seconds from 0 to 60' })
  wait?: string;

  toQuery(threadId: string): EffectsQuery {
    return {
      threadId,
      state: this.state ?? null,
      traceId: this.trace_id ?? null,
      agentId: this.agent_id ?? null,
      limit: this.limit,
      cursor: this.cursor ?? null,
    };
  }

  toOptions(ifNoneMatch: string | undefined): WaitOptions {
    return optionsOf(this.wait, ifNoneMatch);
  }
}

export class EffectAddressQueryDto {
  @ApiPropertyOptional({ description: 'The agent, if several agents have this key.', example: 'support' })
  @IsOptional()
  @IsString({ message: 'must be given once' })
  agent_id?: string;

  toAddress(threadId: string, key: string): EffectAddress {
    return { threadId, key, agentId: this.agent_id ?? null };
  }
}

export class EffectQueryDto extends EffectAddressQueryDto {
  @ApiPropertyOptional({ description: WAIT_DESCRIPTION, example: '30' })
  @IsOptional()
  @Matches(WAIT, { message: 'must be a number of seconds from 0 to 60' })
  wait?: string;

  toOptions(ifNoneMatch: string | undefined): WaitOptions {
    return optionsOf(this.wait, ifNoneMatch);
  }
}
