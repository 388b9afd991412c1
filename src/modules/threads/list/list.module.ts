import { Module } from '@nestjs/common';
import { FlagsModule } from '../flags/flags.module.js';
import { MessageLogModule } from '../message-log/message-log.module.js';
import { VisibilityModule } from '../visibility/visibility.module.js';
import { ListedItemsRepository } from './listed-items.repository.js';
import { SearchHitsRepository } from './search-hits.repository.js';
import { ThreadListRepository } from './thread-list.repository.js';
import { ThreadListService } from './thread-list.service.js';

@Module({
  imports: [FlagsModule, MessageLogModule, VisibilityModule],
  providers: [ListedItemsRepository, SearchHitsRepository, ThreadListRepository, ThreadListService],
  exports: [ThreadListService],
})
export class ListModule {}
