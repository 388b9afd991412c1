import { Injectable } from '@nestjs/common';
import { Logger } from '../../../common/logger.js';
import { startOf } from '../../../common/process-start.js';
import type { TriggerRun } from './trigger-run.entity.js';
import { killAllWith, killGroup } from '../program/process-group.js';
import { OWNER_VARIABLE, TRACE_VARIABLE } from '../program/program-process.js';
import { RunLog, failedBefore } from './run-log.service.js';
import { RunFolders } from './run-folders.service.js';
import { RunSettings } from '../run-settings.js';
import { RunsRepository } from './runs.repository.js';

/** Cleans up after a process that was killed, and finds the runs to continue. */
@Injectable()
export class RunRecovery {
  constructor(
    private readonly repository: RunsRepository,
    private readonly log: RunLog,
    private readonly folders: RunFolders,
    private readonly settings: RunSettings,
    private readonly logger: Logger,
  ) {}

  /** Kills programs that were left running, and returns the runs to start, in the order in which they were accepted. */
  async recover(): Promise<TriggerRun[]> {
    const interrupted = await this.load('running');
    await this.killLeftovers(interrupted);
    const waiting = await this.repository.listIds('queued');
    await this.folders.keepOnly([...interrupted.map(({ run_id }) => run_id), ...waiting]);
    const toStart: TriggerRun[] = [];
    for (const run of [...interrupted, ...(await this.load('queued'))]) {
      if (await this.mayGoOn(run)) toStart.push(run);
    }
    if (interrupted.length > 0) this.logger.warn({ runs: interrupted.length }, 'runs were interrupted');
    return toStart.sort((a, b) => a.seq - b.seq);
  }

  private async load(state: 'running' | 'queued'): Promise<TriggerRun[]> {
    const ids = await this.repository.listIds(state);
    return Promise.all(ids.map((id) => this.repository.get(id)));
  }

  private async mayGoOn(run: TriggerRun): Promise<boolean> {
    const agent = this.settings.agents.find(({ name }) => name === run.agent_name);
    if (agent === undefined) return this.giveUp(run, 'The definition file no longer has this agent.');
    const isInterrupted = run.state === 'running';
    if (isInterrupted && agent.onRestart === 'error') {
      return this.giveUp(run, 'The end of the agent process interrupted the run.');
    }
    await this.log.write(run, { state: 'queued', process_group: null, process_start: null });
    return true;
  }

  private async giveUp(run: TriggerRun, reason: string): Promise<false> {
    await this.log.finishing(run, failedBefore(reason));
    await this.folders.remove(run.run_id);
    return false;
  }

  /** They would report and act beside the program that replaces them. */
  private async killLeftovers(runs: readonly TriggerRun[]): Promise<void> {
    if (runs.length === 0) return;
    await Promise.all(runs.map((run) => killProgramOf(run)));
    const owner = { name: OWNER_VARIABLE, value: this.settings.stateId };
    await killAllWith(TRACE_VARIABLE, new Set(runs.map(({ run_id }) => run_id)), owner);
  }
}

async function killProgramOf({ process_group, process_start }: TriggerRun): Promise<void> {
  if (process_group === null || process_start === null) return;
  if (startOf(process_group) === process_start) await killGroup(process_group);
}
