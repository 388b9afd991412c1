import type { PipeTransform } from '@nestjs/common';
import { noticeNotFound } from './notices.errors.js';

/** An id out of a path. What cannot be one is not looked for: no database can hold every text. */
export class NoticeId implements PipeTransform<string, string> {
  /** @throws DomainError `not_found` */
  transform(value: string): string {
    if (!/^[\w-]{1,64}$/.test(value)) throw noticeNotFound();
    return value;
  }
}
