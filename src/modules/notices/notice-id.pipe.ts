import type { PipeTransform } from '@nestjs/common';
import { noticeNotFound } from './notices.errors.js';

/** An id from a path. Impossible ids are not looked up: databases cannot hold every text. */
export class NoticeId implements PipeTransform<string, string> {
  /** @throws DomainError `not_found` */
  transform(value: string): string {
    if (!/^[\w-]{1,64}$/.test(value)) throw noticeNotFound();
    return value;
  }
}
