import type { PipeTransform } from '@nestjs/common';
import { ruleNotFound } from './rules.errors.js';

/** An id from a path. Malformed ids are not looked up: databases do not accept every text. */
export class RuleId implements PipeTransform<string, string> {
  /** @throws DomainError `not_found` */
  transform(value: string): string {
    if (!/^[\w-]{1,64}$/.test(value)) throw ruleNotFound();
    return value;
  }
}
