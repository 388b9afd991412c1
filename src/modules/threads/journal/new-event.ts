import type { LongText } from '../../../common/long-text.js';
import type { ThreadEvent } from '../entities/thread-event.entity.js';

/** A change to store. Its data may be too long to become a string. */
export type NewEvent = Omit<ThreadEvent, 'data' | 'change_no'> & { data: string | LongText | null };
