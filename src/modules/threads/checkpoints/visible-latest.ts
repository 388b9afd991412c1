import { Injectable } from '@nestjs/common';
import type { Reporter } from '../bindings/reporter.js';
import { RunKinship } from '../bindings/run-kinship.js';
import type { Run } from '../entities/run.entity.js';
import type { ThreadAgent } from '../entities/thread-agent.entity.js';
import { chainLinkOf, shownRun, type HeadLink } from '../journal/rules/shown-run.js';
import { currentAgentOf } from '../journal/rules/thread-state.js';
import { threadNotFound, type LatestFilter } from '../threads.contract.js';
import type { CheckpointRecord } from './checkpoint.json.js';
import { LatestRepository } from './latest.repository.js';

interface Viewer {
  threadPk: number;
  agents: readonly ThreadAgent[];
  kinship: RunKinship<Run>;
  reporter: Reporter;
}

type SeenLink = HeadLink<{ row: Run; latest: CheckpointRecord }>;

/** Finds the latest checkpoint for bound tokens: of their agents' runs and the sub-runs below. */
@Injectable()
export class VisibleLatest {
  constructor(private readonly repository: LatestRepository) {}

  /**
   * Null if no visible run has such a checkpoint.
   * @throws DomainError `not_found` for a thread in which none of the agents has its own run: callers must learn nothing about it
   */
  async find(
    threadId: string,
    { traceId, agentId }: LatestFilter,
    reporter: Reporter,
  ): Promise<CheckpointRecord | null> {
    const agents = await this.repository.agentsOf(threadId);
    const current = currentAgentOf(agents, reporter);
    if (!current) throw threadNotFound({ isExpected: true });
    const viewer = this.viewerOf(current.thread_pk, agents, reporter);
    if (traceId !== null) return this.ofTrace(viewer, traceId, agentId);
    if (agentId !== null) return this.ofAgent(viewer, agentId);
    return this.ofCurrent(viewer, current.own_run);
  }

  /** The latest checkpoint of the record's topmost visible caller, or of its own run. */
  async topOf(record: CheckpointRecord, reporter: Reporter): Promise<CheckpointRecord> {
    const viewer = this.viewerOf(record.thread_pk, [], reporter);
    const find = async (runNo: number) => {
      const link = await this.linkOf(viewer, runNo);
      return link && { ...link, isHeld: false };
    };
    const link = await find(record.run_no);
    return link ? (await shownRun<number, SeenLink>(link, find)).head.latest : record;
  }

  async runsSeen(threadPk: number, runNos: readonly number[], reporter: Reporter): Promise<Set<number>> {
    if (!reporter.isBound) return new Set(runNos);
    const { kinship } = this.viewerOf(threadPk, [], reporter);
    const seen = new Set<number>();
    for (const runNo of new Set(runNos)) {
      const run = await this.repository.runByNumber(threadPk, runNo);
      if (run && (await kinship.isVisible(run, reporter))) seen.add(runNo);
    }
    return seen;
  }

  private viewerOf(threadPk: number, agents: readonly ThreadAgent[], reporter: Reporter): Viewer {
    const kinship = new RunKinship((trace: string) => this.repository.runsOfTrace(threadPk, trace));
    return { threadPk, agents, kinship, reporter };
  }

  private async ofTrace(viewer: Viewer, traceId: string, agentId: string | null): Promise<CheckpointRecord | null> {
    const { threadPk, reporter } = viewer;
    const runs = await this.repository.runsOfTrace(threadPk, traceId);
    const own = runs.filter((run) => reporter.maySpeakFor(run.agent_id));
    for (const run of new Set([...own, ...runs])) {
      const found = await this.latestIfVisible(viewer, run, agentId);
      if (found) return found;
    }
    return null;
  }

  /** From the run in which the agent last reported, if visible; otherwise from its most recently changed visible run. */
  private async ofAgent(viewer: Viewer, agentId: string): Promise<CheckpointRecord | null> {
    const { threadPk, agents, reporter } = viewer;
    const agent = agents.find(({ agent_id }) => agent_id === agentId);
    if (!agent) return null;
    const last = await this.repository.runByNumber(threadPk, agent.latest_run);
    const found = last && (await this.latestIfVisible(viewer, last, agentId));
    if (found) return found;
    if (reporter.maySpeakFor(agentId)) return this.repository.latestOfRun(threadPk, agent.own_run, agentId);
    let latest: CheckpointRecord | null = null;
    for (const run of await this.repository.runsOfAgent(threadPk, agentId)) {
      const other = await this.latestIfVisible(viewer, run, agentId);
      if (other && (!latest || other.rev > latest.rev)) latest = other;
    }
    return latest;
  }

  /** From the topmost visible caller of the run. */
  private async ofCurrent(viewer: Viewer, runNo: number): Promise<CheckpointRecord | null> {
    const link = await this.linkOf(viewer, runNo);
    const shown = link && (await shownRun<number, SeenLink>(link, (key) => this.linkOf(viewer, key)));
    return shown?.head.latest ?? null;
  }

  private async linkOf({ threadPk, kinship, reporter }: Viewer, runNo: number): Promise<SeenLink | null> {
    const row = await this.repository.runByNumber(threadPk, runNo);
    const latest = row && (await this.repository.latestOfRun(threadPk, runNo, null));
    if (!latest) return null;
    return chainLinkOf({ row, latest }, async (run) => {
      const parent = await kinship.parentOf(run);
      return parent && (await kinship.isVisible(parent, reporter)) ? parent : null;
    });
  }

  private async latestIfVisible(
    { threadPk, kinship, reporter }: Viewer,
    run: Run,
    agentId: string | null,
  ): Promise<CheckpointRecord | null> {
    if (!(await kinship.isVisible(run, reporter))) return null;
    return this.repository.latestOfRun(threadPk, run.run_no, agentId);
  }
}
