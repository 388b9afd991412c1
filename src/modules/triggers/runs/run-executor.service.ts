import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logger.js';
import type { AgentDefinition } from '../definition/definition.js';
import { ProcessApi } from '../reporter/process-api.service.js';
import { idsOf, type TriggerRun } from './trigger-run.entity.js';
import { retryUntil, isStateFault } from './retry-until.js';
import type { ProgramIds } from '../program/program-event.js';
import { inputLine, programEnv } from '../program/program-input.js';
import { OWNER_VARIABLE, ProgramProcess } from '../program/program-process.js';
import { Reporter } from '../reporter/reporter.service.js';
import { RunFolders } from './run-folders.service.js';
import { RunLog, failedBefore, type RunOutcome } from './run-log.service.js';
import { RunNotices } from './run-notices.service.js';
import { RunPreparation, type Preparation, type PreparedRun } from './run-preparation.service.js';
import { RunSession, type SessionTools } from './run-session.js';
import { RunSettings } from '../run-settings.js';

/** The outcome of one execution. */
export type Execution =
  | { kind: 'ended' }
  /** It continues at the next start of this process. */
  | { kind: 'interrupted' }
  /** Another process drives it; ask again after this time. */
  | { kind: 'postponed'; waitMs: number };

/** Milliseconds to wait if another process drives the run. */
type Outcome = RunOutcome | 'interrupted' | 'lost' | number;

/** Starts a run's program and follows it to its end. */
@Injectable()
export class RunExecutor {
  private readonly tools: SessionTools;

  constructor(
    private readonly preparation: RunPreparation,
    private readonly folders: RunFolders,
    reporter: Reporter,
    api: ProcessApi,
    private readonly log: RunLog,
    private readonly notices: RunNotices,
    private readonly settings: RunSettings,
    private readonly logger: Logger,
  ) {
    this.tools = { api, log, notices, logger, files: reporter.copies, folders };
  }

  async execute(run: TriggerRun, agent: AgentDefinition, interrupt: AbortSignal): Promise<Execution> {
    this.notices.begins(run);
    const outcome = await this.outcomeOf(run, agent, interrupt);
    const isOver = typeof outcome === 'object';
    await this.preparation.withdraw(run, isOver);
    if (outcome === 'interrupted' || typeof outcome === 'number') {
      await this.log.left(run);
      if (typeof outcome === 'number') return this.postponed(run, outcome);
      this.notices.interrupted(run);
      return { kind: 'interrupted' };
    }
    if (outcome === 'lost') return this.over(run, outcome, interrupt);
    return this.over(run, { ...outcome, budgetUsd: agent.budgetUsd }, interrupt);
  }

  /** Ends a run that a person cancelled before its program started. */
  cancel(run: TriggerRun, interrupt: AbortSignal): Promise<Execution> {
    return this.over(run, { kind: 'cancelled' }, interrupt);
  }

  private async over(run: TriggerRun, outcome: RunOutcome | 'lost', interrupt: AbortSignal): Promise<Execution> {
    // An ended program must never be mistaken for an interrupted one.
    const onFailure = (error: unknown) => this.tellFault(error, run, 'end of a program not stored; retrying');
    const store = () => (outcome === 'lost' ? this.log.takenOver(run) : this.log.finishing(run, outcome));
    const storing = retryUntil(store, { signal: interrupt, onFailure });
    if (outcome === 'lost') this.notices.takenOver(run);
    else await this.notices.ended(run, outcome);
    await storing;
    await this.folders.remove(run.run_id);
    return { kind: 'ended' };
  }

  private postponed(run: TriggerRun, waitMs: number): Execution {
    this.notices.postponed(run);
    return { kind: 'postponed', waitMs };
  }

  private tellFault(error: unknown, { run_id, thread_id }: TriggerRun, words: string): void {
    this.logger.error({ err: error, thread_id, trace_id: run_id }, words);
  }

  private async outcomeOf(run: TriggerRun, agent: AgentDefinition, interrupt: AbortSignal): Promise<Outcome> {
    try {
      const prepared = await this.prepare(run, agent, interrupt);
      switch (prepared.kind) {
        case 'ready':
          return await this.work(run, agent, prepared, interrupt);
        case 'over':
          return failedBefore('The run had ended before it could go on.');
        case 'cancelled':
          return { kind: 'cancelled' };
        case 'busy':
          return prepared.waitMs;
        case 'taken':
          return 'lost';
      }
    } catch (error) {
      if (interrupt.aborted) return 'interrupted';
      this.tellFault(error, run, 'run failed because of an internal error');
      return failedBefore('The agent process could not finish the run.');
    }
  }

  private prepare(run: TriggerRun, agent: AgentDefinition, interrupt: AbortSignal): Promise<Preparation> {
    const onFailure = (error: unknown) => this.tellFault(error, run, 'run not started; retrying');
    const options = { signal: interrupt, isPassing: isStateFault, onFailure };
    return retryUntil(() => this.preparation.prepare(run, agent, interrupt), options);
  }

  private async work(
    run: TriggerRun,
    agent: AgentDefinition,
    { isResumed, token, lost, checkpoint, startEtag }: PreparedRun,
    interrupt: AbortSignal,
  ): Promise<Outcome> {
    const ids = idsOf(run);
    const program = await this.start(run, ids, agent, token);
    if (!(program instanceof ProgramProcess)) return program;
    this.notices.started(run, isResumed);
    const session = new RunSession(run, agent, program, this.tools);
    const ending = session.conduct({ interrupt, lost }, token !== null);
    await this.writeDown(run, program, startEtag, ending);
    program.giveInput(inputLine({ ids, message: run.message, context: run.context, isResumed, checkpoint }));
    return ending;
  }

  /**
   * Passes the input only once the process is stored durably: a program with a task can never be forgotten.
   * @throws if that cannot be written; the program has ended by then
   */
  private async writeDown(
    run: TriggerRun,
    program: ProgramProcess,
    startEtag: string | null,
    ending: Promise<unknown>,
  ): Promise<void> {
    // Whoever awaits it sees its failure; until then it must not count as unhandled.
    const hasEnded = ending.catch(() => undefined);
    const { processGroup, startedAs } = program;
    const change = { process_group: processGroup, process_start: startedAs, start_etag: startEtag };
    try {
      await this.log.write(run, change);
    } catch (error) {
      await program.stop();
      await hasEnded;
      throw error;
    }
  }

  private async start(
    { message }: TriggerRun,
    ids: ProgramIds,
    agent: AgentDefinition,
    token: string | null,
  ): Promise<ProgramProcess | RunOutcome> {
    const { programEnv: inherited, api } = this.settings;
    const own = { ...inherited, ...agent.env, [OWNER_VARIABLE]: this.settings.stateId };
    const { command, workingDirectory } = agent;
    try {
      const onErrorLine = this.settings.isVerbose ? this.notices.errorLines(ids) : undefined;
      const runFolder = this.folders.create(ids.trace_id);
      const env = programEnv({ ids, message }, own, { url: api.current, token, runFolder });
      return await ProgramProcess.start({ command, workingDirectory, env, onErrorLine });
    } catch (error) {
      const reason = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
      return failedBefore(`The program ${command[0]} could not be started (${reason}).`);
    }
  }
}
