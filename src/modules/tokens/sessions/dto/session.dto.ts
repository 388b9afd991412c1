import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Length, Matches } from 'class-validator';
import { isoTime } from '../../../../common/clock.js';
import type { Page } from '../../../../common/pagination.js';
import { SESSION_SCOPES, type SessionScope } from '../../../../common/principal.js';
import { PageDto } from '../../../../http/page-query.dto.js';
import type { BegunSession, OpenSession, SignIn } from '../sessions.service.js';

const PROOF = /^[\w-]{32,200}$/;

export class SignInDto {
  @ApiProperty({ minLength: 1, maxLength: 200, description: 'From `POST /v1/console/codes`.' })
  @Length(1, 200, { message: 'must have 1 to 200 characters' })
  @IsString({ message: 'must be a string' })
  code: string;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    minLength: 32,
    maxLength: 200,
    pattern: PROOF.source,
    description: 'A random text known only to this page. It lets the page ask again if it lost the response.',
    example: '9f2c4e8a1b7d3605c4e8a1b7d36059f2',
  })
  @IsOptional()
  @Matches(PROOF, { message: 'must have 32 to 200 letters, digits, - or _' })
  @IsString({ message: 'must be a string' })
  proof?: string | null;

  toSignIn(): SignIn {
    return { code: this.code, proof: this.proof ?? null };
  }
}

export class ConsoleSessionDto {
  @ApiProperty({ example: '0b6f9e3a-6a3c-4a58-9a0b-5d2f0c1f7e11' })
  id: string;

  @ApiProperty({ enum: SESSION_SCOPES })
  scope: SessionScope;

  @ApiProperty({ description: 'Who signed in; decisions carry it as `decided_by`.', example: 'ada' })
  name: string;

  @ApiProperty({
    type: 'string',
    nullable: true,
    description: 'The token that created the code, and with which the session ends; null for the machine secret.',
    example: null,
  })
  token_id: string | null;

  @ApiProperty({ type: 'string', format: 'date-time', example: '2026-11-20T09:30:00.000Z' })
  created_at: string;

  @ApiProperty({ type: 'string', format: 'date-time', description: 'Up to five minutes late.' })
  last_used_at: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'When it ends if it is not used; up to five minutes early.',
  })
  idle_at: string;

  @ApiProperty({
    type: 'string',
    format: 'date-time',
    description: 'When it ends at the latest; earlier if its token ends.',
  })
  expires_at: string;

  static from({ record, idleAtMs }: OpenSession): ConsoleSessionDto {
    return {
      id: record.id,
      scope: record.scope as SessionScope,
      name: record.name,
      token_id: record.token_id,
      created_at: isoTime(record.created_at),
      last_used_at: isoTime(record.last_used_at),
      idle_at: isoTime(idleAtMs),
      expires_at: isoTime(record.expires_at),
    };
  }
}

export class BegunSessionDto {
  @ApiProperty({
    description:
      'The page sends it with every request as the header `X-Waystation-Console`, together with the cookie that this response sets. Only this response shows it.',
    example: '3q2-7wAB3q2-7wAB3q2-7wAB3q2-7wAB3q2-7wAB3q2',
  })
  key: string;

  @ApiProperty({ type: () => ConsoleSessionDto })
  session: ConsoleSessionDto;

  static from(begun: BegunSession): BegunSessionDto {
    return { key: begun.key, session: ConsoleSessionDto.from(begun) };
  }
}

export class ConsoleSessionListDto extends PageDto {
  @ApiProperty({ type: () => [ConsoleSessionDto] })
  items: ConsoleSessionDto[];

  static fromPage({ items, next_cursor }: Page<OpenSession>, total: number | undefined): ConsoleSessionListDto {
    return { items: items.map((item) => ConsoleSessionDto.from(item)), next_cursor, total };
  }
}
