import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { isoTime } from '../../../common/clock.js';
import { Logger } from '../../../common/logger.js';
import { PeriodicJob } from '../../../common/periodic-job.js';
import { queuedKindOf, type TriggerRun } from './trigger-run.entity.js';
import type { AgentDefinition } from '../definition/definition.js';
import { RunLauncher, type LaunchedRun, type RunRequest } from '../run-launcher.js';
import { AgentLane } from './agent-lane.js';
import { retryUntil, isStateFault } from './retry-until.js';
import { RunExecutor } from './run-executor.service.js';
import { RunFinisher } from './run-finisher.service.js';
import { RunNotices } from './run-notices.service.js';
import { RunIntake } from './run-intake.service.js';
import { RunSettings } from '../run-settings.js';
import { queueFull, shuttingDown, unknownAgent } from './runs.errors.js';

const FORGET_INTERVAL_MS = 6 * 3_600_000;

/** Accepts runs and starts their programs, in one lane per agent. */
@Injectable()
export class RunsService extends RunLauncher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly lanes = new Map<string, AgentLane>();
  private readonly ends = new Map<string, { promise: Promise<void>; settle: () => void }>();
  private readonly working = new Set<Promise<void>>();
  /** Stop the programs of single runs, which continue at the next start. */
  private readonly interrupts = new Map<string, AbortController>();
  /** Runs driven by other processes, with the timer to ask again. */
  private readonly postponed = new Map<string, NodeJS.Timeout>();
  private isClosing = false;
  private settleReady!: () => void;
  private readonly ready = new Promise<void>((resolve) => (this.settleReady = resolve));
  private readonly forgetting = new PeriodicJob(
    () => this.intake.forgetOld(),
    (error) => this.logger.warn({ err: error }, 'old runs not deleted'),
  );

  constructor(
    private readonly settings: RunSettings,
    private readonly intake: RunIntake,
    private readonly executor: RunExecutor,
    private readonly finisher: RunFinisher,
    private readonly notices: RunNotices,
    private readonly logger: Logger,
  ) {
    super();
  }

  async onApplicationBootstrap(): Promise<void> {
    this.intake.queue.onCancelled = (runId) => this.drop(runId);
    for (const run of await this.intake.recover()) this.enqueue(run);
    this.finisher.wake();
    this.forgetting.start(FORGET_INTERVAL_MS);
    this.settleReady();
  }

  override async launch(request: RunRequest): Promise<LaunchedRun> {
    if (this.agentOf(request.agentName) === undefined) throw unknownAgent(request.agentName);
    const lane = this.laneOf(request.agentName);
    await this.ready;
    const repeated = await this.intake.findRepeated(request);
    if (repeated !== null) return this.launched(repeated);
    if (this.isClosing) throw shuttingDown();
    if (lane.isFull) throw queueFull(request.agentName);
    const giveBack = lane.reserve();
    try {
      const { run, isNew } = await this.take(request);
      if (isNew) this.enqueue(run);
      return this.launched(run);
    } finally {
      giveBack();
    }
  }

  override async whenEnded(runId: string): Promise<void> {
    await this.ready;
    await this.ends.get(runId)?.promise;
  }

  override activeRuns(agentName: string): number {
    return this.laneOf(agentName).active;
  }

  override definitionChanged(): void {
    for (const lane of this.lanes.values()) this.startNext(lane);
  }

  /**
   * Lets runs finish within the limit, then stops them; they continue at the next start. Stops runs that wait for a person at once, unless
   * their agent does not resume.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.isClosing = true;
    for (const [runId, timer] of this.postponed) {
      clearTimeout(timer);
      this.settle(runId);
    }
    this.notices.followWaits((run) => {
      if (this.laneOf(run.agent_name).agent.onRestart === 'resume') this.interrupts.get(run.run_id)?.abort();
    });
    this.notices.closing(this.settings.drainTimeoutMs);
    const timer = setTimeout(() => this.interruptAll(), this.settings.drainTimeoutMs);
    await Promise.all(this.working);
    clearTimeout(timer);
    await this.forgetting.stop();
    await this.finisher.close();
  }

  private interruptAll(): void {
    for (const interrupt of this.interrupts.values()) interrupt.abort();
  }

  private take(request: RunRequest): Promise<{ run: TriggerRun; isNew: boolean }> {
    return request.retryOf === undefined
      ? this.intake.store(request)
      : this.intake.storeAgain(request.retryOf, request);
  }

  private enqueue(run: TriggerRun): void {
    let settle!: () => void;
    const promise = new Promise<void>((resolve) => (settle = resolve));
    this.ends.set(run.run_id, { promise, settle });
    const lane = this.laneOf(run.agent_name);
    const { agent_name, thread_id, run_id: trace_id, accepted_at } = run;
    const queued_at = isoTime(Number(accepted_at));
    this.intake.queue.add(agent_name, { thread_id, trace_id, queued_at, kind: queuedKindOf(run) });
    lane.add(trace_id);
    this.startNext(lane);
  }

  /** Ends a run that a person cancelled while it waited. Its place is free at once. */
  private drop(runId: string): void {
    const lane = [...this.lanes.values()].find((one) => one.remove(runId));
    if (lane === undefined) return;
    this.intake.queue.remove(runId);
    const work: Promise<void> = this.work(lane, runId, true).finally(() => this.working.delete(work));
    this.working.add(work);
  }

  private startNext(lane: AgentLane): void {
    // The file may have changed. Accepted runs of a removed agent still finish.
    lane.agent = this.agentOf(lane.agent.name) ?? lane.agent;
    while (!this.isClosing) {
      const runId = lane.next();
      if (runId === null) return;
      this.intake.queue.remove(runId);
      const work: Promise<void> = this.work(lane, runId).finally(() => {
        this.working.delete(work);
        lane.release();
        this.startNext(lane);
      });
      this.working.add(work);
    }
  }

  private async work(lane: AgentLane, runId: string, isCancelled = false): Promise<void> {
    const interrupt = new AbortController();
    this.interrupts.set(runId, interrupt);
    try {
      const run = await this.read(runId, interrupt.signal);
      const { signal } = interrupt;
      const execution = isCancelled
        ? await this.executor.cancel(run, signal)
        : await this.executor.execute(run, lane.agent, signal);
      if (execution.kind === 'ended') this.finisher.wake();
      if (execution.kind === 'postponed' && !this.isClosing) return this.postpone(lane, runId, execution.waitMs);
    } catch (error) {
      this.logger.error({ err: error, trace_id: runId }, 'run left for the next start of this process');
    } finally {
      this.interrupts.delete(runId);
    }
    this.settle(runId);
  }

  /** Another process drives the run; meanwhile it takes no place here. */
  private postpone(lane: AgentLane, runId: string, waitMs: number): void {
    const timer = setTimeout(() => {
      this.postponed.delete(runId);
      lane.add(runId);
      this.startNext(lane);
    }, waitMs);
    this.postponed.set(runId, timer);
  }

  private settle(runId: string): void {
    this.ends.get(runId)?.settle();
    this.ends.delete(runId);
  }

  private read(runId: string, signal: AbortSignal): Promise<TriggerRun> {
    const onFailure = (error: unknown) =>
      this.logger.error({ err: error, trace_id: runId }, 'run could not be read; retrying');
    return retryUntil(() => this.intake.get(runId), {
      signal,
      isPassing: isStateFault,
      onFailure,
    });
  }

  private launched({ run_id, thread_id }: TriggerRun): LaunchedRun {
    const ended = this.ends.get(run_id)?.promise ?? Promise.resolve();
    return { runId: run_id, threadId: thread_id, ended };
  }

  private laneOf(agentName: string): AgentLane {
    const agent = this.agentOf(agentName);
    const lane = this.lanes.get(agentName) ?? (agent && new AgentLane(agent));
    if (lane === undefined) throw unknownAgent(agentName);
    if (agent !== undefined) lane.agent = agent;
    this.lanes.set(agentName, lane);
    return lane;
  }

  private agentOf(agentName: string): AgentDefinition | undefined {
    return this.settings.agents.find(({ name }) => name === agentName);
  }
}
