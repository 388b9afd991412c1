import { ThreadStreamService } from './live/thread-stream.service.js';
import { LiveRepository } from './live/live.repository.js';
import { LiveEventBuilderFactory } from './live/live-event-builder.factory.js';
import { ElementCache } from './reading/element-cache.js';
import { ElementsRepository } from './reading/elements.repository.js';
import { ThreadElements } from './reading/thread-elements.js';
import { ThreadEventsRepository } from './reading/thread-events.repository.js';
import { ThreadCheckpointsRepository } from './thread-checkpoints.repository.js';
import { ThreadCheckpointsService } from './thread-checkpoints.service.js';
import { ThreadDeletionRepository } from './thread-deletion.repository.js';
import { ThreadDeletionService } from './thread-deletion.service.js';
import { ThreadDetailService } from './thread-detail.service.js';
import { ThreadListRepository } from './thread-list.repository.js';
import { ThreadListService } from './thread-list.service.js';
import { ThreadLogsService } from './thread-logs.service.js';
import { ThreadCleanupService } from './thread-cleanup.service.js';
import { ThreadsMetricsService } from './threads-metrics.service.js';
import { ThreadsRepository } from './threads.repository.js';
import { ThreadTurnsRepository } from './turns/thread-turns.repository.js';
import { ThreadTurnsService } from './turns/thread-turns.service.js';

/** What reading, following and deleting threads takes, beside the journal. */
export const READING_PROVIDERS = [
  ThreadsRepository,
  ThreadListRepository,
  ThreadListService,
  ThreadDetailService,
  ThreadLogsService,
  ThreadEventsRepository,
  ThreadCheckpointsRepository,
  ThreadCheckpointsService,
  ElementsRepository,
  ElementCache,
  ThreadElements,
  LiveRepository,
  LiveEventBuilderFactory,
  ThreadStreamService,
  ThreadDeletionRepository,
  ThreadDeletionService,
  ThreadCleanupService,
  ThreadTurnsRepository,
  ThreadTurnsService,
  ThreadsMetricsService,
];
