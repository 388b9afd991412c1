import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logger.js';
import type { AgentDefinition } from '../definition/definition.js';
import type { TriggerRun } from '../entities/trigger-run.entity.js';
import type { ProgramIds } from './program-event.js';
import { inputLine, programEnv } from './program-input.js';
import { ProgramProcess } from './program-process.js';
import { RunLog } from './run-log.service.js';
import { failedBefore, type RunOutcome } from './run-outcome.js';
import { RunPreparation, type PreparedRun } from './run-preparation.service.js';
import { RunSessions } from './run-sessions.service.js';
import { RunSettings } from './run-settings.js';

/** Starts the program of a run and sees it through to its end. */
@Injectable()
export class RunExecutor {
  constructor(
    private readonly preparation: RunPreparation,
    private readonly sessions: RunSessions,
    private readonly log: RunLog,
    private readonly settings: RunSettings,
    private readonly logger: Logger,
  ) {}

  /** Answers whether the program has ended; a run that was interrupted goes on at the next start of this process. */
  async execute(run: TriggerRun, agent: AgentDefinition, interrupt: AbortSignal): Promise<boolean> {
    const outcome = await this.outcomeOf(run, agent, interrupt);
    if (outcome === null) {
      await this.log.write(run.run_id, { process_group: null, process_start: null });
      return false;
    }
    await this.log.finishing(run.run_id, outcome);
    return true;
  }

  private async outcomeOf(run: TriggerRun, agent: AgentDefinition, interrupt: AbortSignal): Promise<RunOutcome | null> {
    try {
      const prepared = await this.preparation.prepare(run, interrupt);
      if (prepared === null) return failedBefore('The run had ended before it could go on.');
      return await this.work(run, agent, prepared, interrupt);
    } catch (error) {
      if (interrupt.aborted) return null;
      this.logger.error(
        { err: error, thread_id: run.thread_id, trace_id: run.run_id },
        'run failed for a fault of ours',
      );
      return failedBefore('The agent process could not see the run through.');
    }
  }

  private async work(
    run: TriggerRun,
    agent: AgentDefinition,
    { isResumed, token, checkpoint, startEtag }: PreparedRun,
    interrupt: AbortSignal,
  ): Promise<RunOutcome | null> {
    const ids = { thread_id: run.thread_id, trace_id: run.run_id, agent_id: run.agent_name };
    const program = await this.start(run, ids, agent, token);
    if (!(program instanceof ProgramProcess)) return program;
    const { processGroup, startedAs } = program;
    const session = this.sessions.open(run, ids, agent, program);
    const ending = session.conduct(interrupt, token !== null);
    // The input is given when the process is known durably: nothing that has its task can be forgotten.
    await this.log.write(run.run_id, {
      process_group: processGroup,
      process_start: startedAs,
      start_etag: startEtag,
    });
    program.giveInput(inputLine({ ids, message: run.message, context: run.context, isResumed, checkpoint }));
    return ending;
  }

  private async start(
    { message }: TriggerRun,
    ids: ProgramIds,
    agent: AgentDefinition,
    token: string | null,
  ): Promise<ProgramProcess | RunOutcome> {
    const { programEnv: inherited, apiUrl } = this.settings;
    const env = programEnv({ ids, message }, { ...inherited, ...agent.env }, { url: apiUrl, token });
    const { command, workingDirectory } = agent;
    try {
      return await ProgramProcess.start({ command, workingDirectory, env });
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
      return failedBefore(`The program ${command[0]} could not be started (${reason}).`);
    }
  }
}
