import { LongText } from '../../common/long-text.js';
import type { CallsChanged } from '../threads/threads.contract.js';
import { draftApproval } from './approval-draft.js';

const OPENED = Date.UTC(2026, 0, 1);

function draft(extra: string | LongText | null, timeoutSeconds = 0) {
  const fact = {
    run: { trace_id: 'run-1', parent_trace_id: null },
    checkpoint: {
      thread_pk: 1,
      run_no: 1,
      attempt: 1,
      step_index: 3,
      seq: 9,
      agent_id: 'support',
      extra,
      pending_tool_calls: '[]',
    },
    callsDigest: 'digest',
  } as unknown as CallsChanged;
  return draftApproval('thread-1', fact, OPENED, timeoutSeconds);
}

describe('A new approval', () => {
  it.each([
    ['never without a time limit', null, 0, null],
    ['after the time limit of the server', null, 60, 60_000],
    ['after its own time limit', '"approval_timeout_seconds":1.5', 60, 1_500],
    ['never when its own time limit is 0', '"approval_timeout_seconds":0', 60, null],
    ['after the time limit of the server when its own is null', '"approval_timeout_seconds":null', 60, 60_000],
    ['after a whole millisecond at least', '"approval_timeout_seconds":0.00001', 0, 1],
  ])('expires %s', (_when, extra, timeoutSeconds, afterMs) => {
    expect(draft(extra, timeoutSeconds).expires_at).toBe(afterMs === null ? null : OPENED + afterMs);
  });

  it.each(['1e300', '1e13', '9007199254740993'])('expires at the end of all dates after %s seconds', (seconds) => {
    const { expires_at } = draft(`"approval_timeout_seconds":${seconds}`);
    expect(new Date(expires_at!).toISOString()).toBe('9999-12-31T23:59:59.999Z');
  });

  it.each([
    ['nothing', null, '[]'],
    ['null', '"approval_features":null', '[]'],
    ['its list', '"x":1,"approval_features":["per_call","edit_args"]', '["per_call","edit_args"]'],
  ])('knows what the agent declares: %s', (_what, extra, features) => {
    expect(draft(extra).features).toBe(features);
  });

  describe.each([
    ['as it was stored', (text: string) => text],
    ['as it was reported', (text: string) => LongText.inParts([Buffer.from('"x":1,'), Buffer.from(text)])],
  ])('beside very much else, %s,', (_how, made) => {
    const much = `"y":[${'{"approval_feature":"\\"approval_features\\":[]"},'.repeat(5000)}0]`;
    it.each([
      ['nothing', much, '[]'],
      ['its list', `${much},"approval_features":["per_call"]`, '["per_call"]'],
    ])('knows what the agent declares: %s', (_what, extra, features) => {
      expect(draft(made(extra)).features).toBe(features);
    });
  });
});
