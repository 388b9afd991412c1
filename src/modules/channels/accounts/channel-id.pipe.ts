import type { PipeTransform } from '@nestjs/common';
import { channelNotFound } from './channels.errors.js';

/** An id in a path. Text that cannot be an id is not looked up: databases cannot hold every text. */
export class ChannelId implements PipeTransform<string, string> {
  /** @throws DomainError `not_found` */
  transform(value: string): string {
    if (!/^[\w-]{1,64}$/.test(value)) throw channelNotFound();
    return value;
  }
}
