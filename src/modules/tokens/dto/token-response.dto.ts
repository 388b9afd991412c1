import { ApiProperty } from '@nestjs/swagger';
import { isoTime } from '../../../common/clock.js';
import { PageDto } from '../../../http/page-query.dto.js';
import { SCOPES, type Principal, type RunOfToken, type Scope } from '../../../common/principal.js';
import type { Page } from '../../../common/pagination.js';
import type { AccessToken } from '../access-token.entity.js';
import type { MintedToken } from '../tokens.service.js';

/** Without the fence, which would allow taking over the run. */
export class TokensRunDto {
  @ApiProperty({ example: 'parcel-4711' })
  thread_id: string;

  @ApiProperty({ example: 'run-9' })
  trace_id: string;
}

export class TokenResponseDto {
  @ApiProperty({ example: '0b6f9e3a-6a3c-4a58-9a0b-5d2f0c1f7e11' })
  id: string;

  @ApiProperty({ enum: SCOPES })
  scope: Scope;

  @ApiProperty({ type: 'string', nullable: true, example: 'laptop of Kim' })
  name: string | null;

  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'The only agents for which the holder may report and read; null means any.',
    example: ['support'],
  })
  agent_ids: string[] | null;

  @ApiProperty({ type: 'string', format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  created_at: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'null means never.',
    example: '2026-11-21T09:30:00.000Z',
  })
  expires_at: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The runner token that created this one, and with which it ends; null if an admin created it.',
    example: null,
  })
  parent_id: string | null;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description:
      'The token, of any scope, that created this one; if it was revoked alone, the token that had created it. null for the machine secret.',
    example: '7c1f0f2e-52b4-4d8a-9a55-0d7c86c2f7b1',
  })
  created_by: string | null;

  @ApiProperty({
    type: () => TokensRunDto,
    nullable: true,
    description: 'The only run for which the holder may report; null means any.',
    example: { thread_id: 'parcel-4711', trace_id: 'run-9' },
  })
  run: TokensRunDto | null;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    nullable: true,
    description: 'Stored at most once an hour: a token in use shows a time of the last hour. null means never.',
    example: '2026-11-20T09:31:00.000Z',
  })
  last_used_at: string | null;

  static from(record: AccessToken): TokenResponseDto {
    const run = record.run === null ? null : (JSON.parse(record.run) as RunOfToken);
    return {
      id: record.id,
      scope: record.scope as Scope,
      name: record.name,
      agent_ids: record.agent_ids === null ? null : (JSON.parse(record.agent_ids) as string[]),
      created_at: isoTime(record.created_at),
      expires_at: record.expires_at === null ? null : isoTime(record.expires_at),
      parent_id: record.parent_id,
      created_by: record.created_by,
      run: run === null ? null : { thread_id: run.threadId, trace_id: run.traceId },
      last_used_at: record.last_used_at === null ? null : isoTime(record.last_used_at),
    };
  }
}

export class CreatedTokenResponseDto extends TokenResponseDto {
  @ApiProperty({
    description: 'The token itself. Only this response shows it.',
    example: 'wst_3q2-7wAB3q2-7wAB3q2-7wAB3q2-7wAB3q2-7wAB3q2',
  })
  token: string;

  static fromMinted({ record, token }: MintedToken): CreatedTokenResponseDto {
    return { ...TokenResponseDto.from(record), token };
  }
}

export class TokenListResponseDto extends PageDto {
  @ApiProperty({ type: () => [TokenResponseDto] })
  items: TokenResponseDto[];

  static fromPage({ items, next_cursor }: Page<AccessToken>, total: number | undefined): TokenListResponseDto {
    return { items: items.map((item) => TokenResponseDto.from(item)), next_cursor, total };
  }
}

/** What a request's token may do. */
export class OwnTokenResponseDto {
  @ApiProperty({ type: 'string', nullable: true, description: 'null for the machine secret.', example: null })
  id: string | null;

  @ApiProperty({ enum: SCOPES })
  scope: Scope;

  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'The only agents for which the holder may report and read, each with its sub-agents; null means any.',
    example: ['support'],
  })
  agent_ids: string[] | null;

  static from({ tokenId, scope, agentIds }: Principal): OwnTokenResponseDto {
    return { id: tokenId, scope, agent_ids: agentIds === null ? null : [...agentIds] };
  }
}
