import type { KnownEffect } from '../../src/modules/runners/resume/call-outcomes.js';

/** A refund that is completed, but for what differs. */
export function knownEffect(differing: Partial<KnownEffect> = {}): KnownEffect {
  return {
    key: 'refund:4711',
    tool: 'refund',
    args: '{"order":4711}',
    call_id: 'c1',
    attempt: 1,
    state: 'completed',
    in_doubt: false,
    result: '"paid back"',
    error: null,
    reason: null,
    ...differing,
  };
}
