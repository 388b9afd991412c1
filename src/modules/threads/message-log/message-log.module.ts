import { Module } from '@nestjs/common';
import { ElementsRepository } from './elements.repository.js';
import { ElementCache } from './element-cache.js';
import { ThreadElements } from './thread-elements.js';
import { ListTextsRepository } from './list-texts.repository.js';

/** The messages of a thread, and histories as ranges of them. */
@Module({
  providers: [ElementsRepository, ElementCache, ThreadElements, ListTextsRepository],
  exports: [ElementsRepository, ThreadElements, ListTextsRepository],
})
export class MessageLogModule {}
