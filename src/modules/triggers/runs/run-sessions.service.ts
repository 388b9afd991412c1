import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logger.js';
import type { AgentDefinition } from '../definition/definition.js';
import type { TriggerRun } from './trigger-run.entity.js';
import { ProcessApi } from '../reporter/process-api.js';
import { Reporter } from '../reporter/reporter.service.js';
import type { ProgramIds } from '../program/program-event.js';
import type { ProgramProcess } from '../program/program-process.js';
import { RunLog } from './run-log.service.js';
import { RunSession } from './run-session.js';

/** Opens the session of a program that was started. */
@Injectable()
export class RunSessions {
  constructor(
    private readonly api: ProcessApi,
    private readonly reporter: Reporter,
    private readonly log: RunLog,
    private readonly logger: Logger,
  ) {}

  open(run: TriggerRun, ids: ProgramIds, agent: AgentDefinition, program: ProgramProcess): RunSession {
    const { api, reporter, log } = this;
    const fields = { agent: agent.name, thread_id: ids.thread_id, trace_id: ids.trace_id };
    const onForeignEvent = (type: string) =>
      this.logger.warn({ ...fields, type }, 'a program may only report for its own agent: event dropped');
    return new RunSession(run, ids, agent, program, { api, reporter, log, onForeignEvent });
  }
}
