import { Module } from '@nestjs/common';
import { MessageLogModule } from '../message-log/message-log.module.js';
import { SightModule } from '../sight/sight.module.js';
import { ListedItemsRepository } from './listed-items.repository.js';
import { SearchHitsRepository } from './search-hits.repository.js';
import { ThreadListRepository } from './thread-list.repository.js';
import { ThreadListService } from './thread-list.service.js';

/** The list of threads. */
@Module({
  imports: [MessageLogModule, SightModule],
  providers: [ListedItemsRepository, SearchHitsRepository, ThreadListRepository, ThreadListService],
  exports: [ThreadListRepository, ThreadListService],
})
export class ListModule {}
