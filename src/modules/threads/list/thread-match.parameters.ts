import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsIn, IsOptional, IsString } from 'class-validator';
import { statusMeant } from '../../../common/contract/run-status.js';
import { invalidField } from '../../../common/domain-error.js';
import type { ThreadMatch } from './thread-list.query.js';

const MAX_STATUSES = 50;

const TEXTS = {
  agent_id: { description: 'Only threads in which this agent took part.', example: 'support' },
  model: { description: 'Only threads whose latest checkpoint names this model.', example: 'gpt-4o' },
  q: {
    description: 'Only threads with this text in their id, their model or the id of one of their agents. Ignores case.',
    example: 'refund',
  },
  search: { description: 'Another name for `q`; use only one of them.', example: 'refund' },
};

/** Give the property the same name. */
export function TextFilter(name: keyof typeof TEXTS): PropertyDecorator {
  return applyDecorators(ApiPropertyOptional(TEXTS[name]), IsOptional(), IsString({ message: 'must be given once' }));
}

const FLAGS = {
  silent: '`true`: only threads that are silent; `false`: only others.',
  in_doubt: '`true`: only threads with an effect in doubt; `false`: only others.',
  open: '`true`: only threads in progress, with whatever status of the agent, or waiting for a person; `false`: only others.',
};

/** Give the property the same name. */
export function FlagFilter(name: keyof typeof FLAGS): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ enum: ['true', 'false'], description: FLAGS[name] }),
    IsOptional(),
    IsIn(['true', 'false'], { message: 'must be true or false' }),
  );
}

export function flagOf(text: 'true' | 'false' | undefined): boolean | null {
  return text === undefined ? null : text === 'true';
}

export function StatusFilter(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({
      type: [String],
      maxItems: MAX_STATUSES,
      description:
        'Only threads with this status; repeat it for several. `running`, `waiting` and `failed` stand for `in_progress`, `waiting_for_approval` and `error`.',
      example: ['in_progress'],
    }),
    IsOptional(),
    Transform(({ value }) => [...new Set([value].flat())]),
    ArrayMaxSize(MAX_STATUSES, { message: `must be at most ${MAX_STATUSES} different ones` }),
    IsString({ each: true, message: 'must be text' }),
  );
}

/**
 * @param seenBy the agents that the caller's token is bound to; null for none
 * @throws DomainError `invalid` if `q` is given under both of its names
 */
export function threadMatchOf(
  { status, agent_id, model, q, search }: Partial<Record<keyof typeof TEXTS, string>> & { status?: string[] },
  seenBy: readonly string[] | null,
): ThreadMatch {
  if (q && search) throw invalidField('search', 'is an alias of q; use only one of them');
  return {
    // Older servers stored the other names unchanged.
    statuses: [...new Set((status ?? []).flatMap((name) => [statusMeant(name), name]))],
    agentId: agent_id ?? null,
    model: model ?? null,
    search: q || search || null,
    seenBy,
  };
}
