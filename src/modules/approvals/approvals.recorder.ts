import { Injectable, type OnModuleInit } from '@nestjs/common';
import { TimeSlices } from '../../common/time-slices.js';
import { ApprovalsConfig } from '../../config/approvals.config.js';
import type { BoundStatement, SqlRow } from '../../database/database.js';
import { JournalParticipants } from '../threads/journal/store/journal-participants.service.js';
import type { CallsOpened, CallsSuperseded, JournalParticipant, ThreadFacts } from '../threads/threads.contract.js';
import type { Approval } from './approval.entity.js';
import { draftApproval } from './approval-draft.js';
import { approvalJson, callsJson } from './approval-view.js';
import { approvalFault } from './imported-approval.js';
import { ApprovalsRepository } from './approvals.repository.js';

/** Records opened and superseded tool calls as approvals, in the same transaction. */
@Injectable()
export class ApprovalsRecorder implements JournalParticipant, OnModuleInit {
  readonly tables = ['approval'];
  readonly interests = new Set(['calls_opened', 'calls_superseded'] as const);

  constructor(
    private readonly participants: JournalParticipants,
    private readonly approvals: ApprovalsRepository,
    private readonly config: ApprovalsConfig,
  ) {}

  onModuleInit(): void {
    this.participants.add(this);
  }

  async statementsForJob({ thread, facts, nowMs, tell }: ThreadFacts): Promise<readonly BoundStatement[]> {
    const slices = new TimeSlices();
    const statements: BoundStatement[] = [];
    // Calls are usually superseded right after opening, and reading a thousand of them takes a while.
    let last = { digest: '', features: '', json: '' };
    for (const fact of facts) {
      if (fact.fact !== 'calls_opened' && fact.fact !== 'calls_superseded') continue;
      const isOpened = fact.fact === 'calls_opened';
      const approval = isOpened ? this.opened(thread.id, fact, nowMs) : this.superseded(thread.id, fact, nowMs);
      statements.push(
        isOpened
          ? this.approvals.insertStatement(approval)
          : this.approvals.supersedeStatement(approval, fact.reason, nowMs),
      );
      const { digest, features } = approval;
      if (last.digest !== digest || last.features !== features) last = { digest, features, json: callsJson(approval) };
      tell(approval.status, approvalJson(approval, last.json), fact.run.run_no, approval.step_index);
      await slices.pauseIfDue();
    }
    return statements;
  }

  importFault(row: SqlRow): string | null {
    return approvalFault(row);
  }

  private opened(threadId: string, fact: CallsOpened, nowMs: number): Approval {
    const approval = draftApproval(threadId, fact, nowMs, this.config.timeoutSeconds, this.config.remindSeconds);
    const { supersededBy } = fact;
    if (supersededBy === null) return approval;
    return { ...approval, status: 'superseded', decided_through: supersededBy, remind_at: null };
  }

  private superseded(threadId: string, fact: CallsSuperseded, nowMs: number): Approval {
    const approval = draftApproval(threadId, fact, fact.checkpoint.created_at, this.config.timeoutSeconds);
    return { ...approval, status: 'superseded', decided_through: fact.reason, changed_at: nowMs };
  }
}
