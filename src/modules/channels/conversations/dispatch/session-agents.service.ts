import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ServerThreadsService } from '../../../threads/bindings/server-threads.service.js';
import { DispatchRepository } from './dispatch.repository.js';

/** Tells the recording of runs to which agent a conversation belongs: what waits in it is asked in its chat. */
@Injectable()
export class SessionAgentsService implements OnModuleInit {
  constructor(
    private readonly threads: ServerThreadsService,
    private readonly repository: DispatchRepository,
  ) {}

  onModuleInit(): void {
    this.threads.setAgents((threadIds) => this.repository.agentsOfSessions(threadIds));
  }
}
