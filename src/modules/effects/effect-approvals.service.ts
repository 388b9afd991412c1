import { Injectable } from '@nestjs/common';
import { NotCanonicalError } from '../../common/canonical-json.js';
import { parsedJson } from '../../common/parsed-json.js';
import type { SqlReader } from '../../database/database.js';
import { ApprovalsLookupService } from '../approvals/approvals-lookup.service.js';
import type { LockedRun } from '../threads/journal/thread-runs.service.js';
import { argsDigestOf } from './args-digest.js';
import type { EffectClaim } from './effect-body.js';
import type { ApprovalVerdict } from './effect-rules.js';

/** Looks up people's decisions on the calls that claims name. */
@Injectable()
export class EffectApprovalsService {
  constructor(private readonly approvals: ApprovalsLookupService) {}

  /**
   * Null if the claim names no call of an approval of its run.
   * What a rule approved, it approved for a tool of that name alone.
   */
  async verdictOn(
    reader: SqlReader,
    { threadPk, runNo }: LockedRun,
    { callId, tool, args }: Pick<EffectClaim, 'callId' | 'tool' | 'args'>,
  ): Promise<ApprovalVerdict | null> {
    if (callId === null || runNo === null) return null;
    const verdict = await this.approvals.verdictOn(reader, { thread_pk: threadPk, run_no: runNo }, callId);
    if (verdict === null) return null;
    if (verdict.status === 'expired') return 'rejected';
    if (verdict.status !== 'approved') return verdict.status;
    if (verdict.tool !== null && verdict.tool !== tool) return 'other_tool';
    return verdict.args !== null && areSame(verdict.args, args ?? '{}') ? 'approved' : 'other_args';
  }
}

function areSame(approved: string, claimed: string): boolean {
  if (approved === claimed) return true;
  try {
    return argsDigestOf(unwrapped(approved), 'args') === argsDigestOf(unwrapped(claimed), 'args');
  } catch (error) {
    if (error instanceof NotCanonicalError) return false;
    throw error;
  }
}

/** Some frameworks put the arguments into a string; people saw, and may have edited, the JSON in it. */
function unwrapped(args: string): Buffer {
  const text = args.startsWith('"') ? (JSON.parse(args) as string) : args;
  const value = text === args ? null : parsedJson(text);
  return Buffer.from(typeof value === 'object' && value !== null ? text : args);
}
