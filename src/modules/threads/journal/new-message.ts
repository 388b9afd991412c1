import type { TextList } from '../../../common/text-list.js';
import type { Message } from '../entities/message.entity.js';

/** A message to be stored: an element of a list that was reported. */
export interface NewMessage extends Omit<Message, 'body'> {
  source: TextList;
  index: number;
}
