import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ApprovalsConfig } from '../../config/approvals.config.js';
import { ThreadJournal } from '../threads/journal/thread-journal.service.js';
import { callsDigestOf } from '../threads/journal/digest.js';
import { extraMember } from '../threads/journal/extra-members.js';
import type { CallsOpened, JournalParticipant, ThreadFacts } from '../threads/threads.events.js';
import type { Approval } from './approval.entity.js';
import { approvalJson } from './approval-view.js';
import { ApprovalsRepository } from './approvals.repository.js';

/** Turns what happens to waiting tool calls into approvals, in the transaction in which it happens. */
@Injectable()
export class ApprovalsRecorder implements JournalParticipant, OnModuleInit {
  readonly tables = ['approval'];

  constructor(
    private readonly journal: ThreadJournal,
    private readonly approvals: ApprovalsRepository,
    private readonly config: ApprovalsConfig,
  ) {}

  onModuleInit(): void {
    this.journal.addParticipant(this);
  }

  scriptFor({ thread, facts, nowMs, tell }: ThreadFacts): string {
    let script = '';
    for (const fact of facts) {
      const { run, checkpoint } = fact;
      if (fact.fact === 'calls_superseded') {
        const key = { ...checkpoint, digest: callsDigestOf(checkpoint.pending_tool_calls ?? '') };
        script += this.approvals.supersedeScript(key, fact.reason, nowMs);
        tell('superseded', JSON.stringify({ digest: key.digest, reason: fact.reason }), run.run_no, key.step_index);
      } else {
        const approval = this.opened(thread.id, fact, nowMs);
        script += this.approvals.insertScript(approval);
        tell(approval.status, approvalJson(approval), run.run_no, checkpoint.step_index);
      }
    }
    return script;
  }

  private opened(threadId: string, { run, checkpoint, isActionable }: CallsOpened, nowMs: number): Approval {
    const { thread_pk, run_no, attempt, step_index, seq, agent_id } = checkpoint;
    const calls = checkpoint.pending_tool_calls!;
    const features = extraMember(checkpoint.extra, 'approval_features');
    const timeout = Number(extraMember(checkpoint.extra, 'approval_timeout_seconds') ?? this.config.timeoutSeconds);
    return {
      ...{ thread_pk, run_no, attempt, step_index, digest: callsDigestOf(calls), seq, thread_id: threadId, agent_id },
      trace_id: run.trace_id,
      parent_trace_id: run.parent_trace_id,
      status: isActionable ? 'pending' : 'superseded',
      tool_calls: calls,
      features: features === null || features === 'null' ? '[]' : features,
      decisions: null,
      verb: null,
      reason: null,
      decided_by: null,
      decided_through: isActionable ? null : 'later_step',
      created_at: nowMs,
      expires_at: timeout > 0 ? nowMs + timeout * 1000 : null,
      decided_at: null,
      changed_at: nowMs,
    };
  }
}
