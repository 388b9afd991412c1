import type { PipeTransform } from '@nestjs/common';
import { ruleNotFound } from './rules.errors.js';

/** An id out of a path. What cannot be one is not looked for: no database can hold every text. */
export class RuleId implements PipeTransform<string, string> {
  /** @throws DomainError `not_found` */
  transform(value: string): string {
    if (!/^[\w-]{1,64}$/.test(value)) throw ruleNotFound();
    return value;
  }
}
