import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../../common/domain-error.js';
import type { ApprovalIdentity } from '../../../approvals/approvals-lookup.service.js';
import { ApprovalsService } from '../../../approvals/approvals.service.js';

type Command = Parameters<ApprovalsService['decide']>[1];

/** A person's decision, without what all chats have in common. */
export type ChatCommand = { decidedBy: string } & (
  { verb: 'approve' | 'reject' } | { verb: 'answer'; answers: Extract<Command, { verb: 'answer' }>['answers'] }
);

export const NOT_ALLOWED = 'You may not decide this.';
export const TOO_LATE = 'This was decided before, or is no longer needed.';

/** Decides for people in chats. */
@Injectable()
export class ChatDecisions {
  constructor(private readonly approvals: ApprovalsService) {}

  /** Repeating a decision changes nothing. @returns why it does not count; null if it does */
  async decide({ threadId, traceId, step, digest }: ApprovalIdentity, command: ChatCommand): Promise<string | null> {
    try {
      const whole = { ...command, reason: null, digest, decisions: [] };
      await this.approvals.decide({ traceId, step, threadId }, whole, 'channel');
      return null;
    } catch (error) {
      if (!(error instanceof DomainError) || !['conflict', 'not_found', 'invalid'].includes(error.kind)) throw error;
      return error.message;
    }
  }
}
