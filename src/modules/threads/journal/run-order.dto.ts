import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, IsString, Matches, MaxLength } from 'class-validator';
import { deciderOf, type Principal } from '../../../common/principal.js';
import type { RunOrder } from '../entities/run-order.js';

const MAX_REASON = 4000;
const MAX_NAME = 512;
/** What both databases can store: no U+0000 and no lone surrogates. */
const STORABLE = /^[^\0\p{Cs}]*$/u;
const STORABLE_RULE = { message: 'must not contain U+0000 or lone surrogates' };

export class RunOrderDto {
  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: MAX_REASON,
    description: 'Shown with the run and in its logs; a cancellation also sends it to the program.',
    example: 'It asks the wrong customer',
  })
  @IsOptional()
  @Matches(STORABLE, STORABLE_RULE)
  @MaxLength(MAX_REASON, { message: `must have at most ${MAX_REASON} characters` })
  @IsString({ message: 'must be a string' })
  reason?: string | null;

  @ApiPropertyOptional({
    type: 'string',
    nullable: true,
    maxLength: MAX_NAME,
    description: 'Who decided it, for the record. In a session of the console it is who signed in.',
    example: 'ada',
  })
  @IsOptional()
  @Matches(STORABLE, STORABLE_RULE)
  @MaxLength(MAX_NAME, { message: `must have at most ${MAX_NAME} characters` })
  @IsString({ message: 'must be a string' })
  decided_by?: string | null;

  /**
   * Blank fields count as missing.
   * @throws DomainError `invalid` if the name differs from the session's
   */
  toOrder(caller: Principal): RunOrder {
    return { ...deciderOf(caller, textOf(this.decided_by)), reason: textOf(this.reason) };
  }
}

function textOf(text: string | null | undefined): string | null {
  return text?.trim() || null;
}
