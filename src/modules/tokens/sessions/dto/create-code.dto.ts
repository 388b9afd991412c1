import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, IsString, Length, Matches, Max, Min } from 'class-validator';
import { SESSION_SCOPES, type SessionScope } from '../../../../common/principal.js';
import { isoTime } from '../../../../common/clock.js';
import type { CodeOrder, MintedCode } from '../sessions.service.js';

const DEFAULT_SECONDS = 60;
const MAX_SECONDS = 600;
/** Also excludes lone surrogates, which no database stores. */
const NO_CONTROL_CHARACTERS = /^[^\p{Cc}\p{Cs}]*$/u;

export class CreateCodeDto {
  @ApiPropertyOptional({
    enum: SESSION_SCOPES,
    type: 'string',
    nullable: true,
    description:
      'What the session may do: at most what the token may, which is the default. In the console, `approver` also reads what `reader` reads.',
  })
  @IsOptional()
  @IsIn(SESSION_SCOPES, { message: `must be one of ${SESSION_SCOPES.join(', ')}` })
  scope?: SessionScope | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    minLength: 1,
    maxLength: 200,
    description: 'Who signs in; decisions carry it as `decided_by`. Absent means the name of the token.',
    example: 'ada',
  })
  @IsOptional()
  @Matches(NO_CONTROL_CHARACTERS, { message: 'must not contain control characters' })
  @Length(1, 200, { message: 'must have 1 to 200 characters' })
  @IsString({ message: 'must be a string' })
  name?: string | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: 1,
    maximum: MAX_SECONDS,
    default: DEFAULT_SECONDS,
    description: 'How long the code is valid. Allow more time for a code that is carried to another machine.',
  })
  @IsOptional()
  @IsInt({ message: 'must be a whole number of seconds' })
  @Min(1, { message: 'must be at least 1' })
  @Max(MAX_SECONDS, { message: `must be at most ${MAX_SECONDS}` })
  expires_in_seconds?: number | null;

  toOrder(): CodeOrder {
    return {
      scope: this.scope ?? null,
      name: this.name ?? null,
      expiresInSeconds: this.expires_in_seconds ?? DEFAULT_SECONDS,
    };
  }
}

export class CreatedCodeDto {
  @ApiProperty({
    description:
      'Opens one session, once. Only this response shows it. The address of the console takes it as `/console/#code=…`.',
    example: '3q2-7wAB3q2-7wAB3q2-7wAB3q2-7wAB3q2-7wAB3q2',
  })
  code: string;

  @ApiProperty({ type: 'string', format: 'date-time', example: '2026-11-20T09:31:00.000Z' })
  expires_at: string;

  static from({ code, expiresAtMs }: MintedCode): CreatedCodeDto {
    return { code, expires_at: isoTime(expiresAtMs) };
  }
}
