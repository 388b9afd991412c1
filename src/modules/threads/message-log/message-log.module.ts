import { Module } from '@nestjs/common';
import { ElementsRepository } from './elements.repository.js';
import { ElementCache } from './element-cache.js';
import { ThreadElements } from './thread-elements.js';
import { ListTextsRepository } from './list-texts.repository.js';

@Module({
  providers: [ElementsRepository, ElementCache, ThreadElements, ListTextsRepository],
  exports: [ElementsRepository, ThreadElements, ListTextsRepository],
})
export class MessageLogModule {}
