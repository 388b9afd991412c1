import { NoDecisionError } from '../pending-call-tracker.js';
import type { Schemas } from './api-requests.js';
import { callDecisions } from './call-decisions.js';

function checkpoint(status: string, verdict: string | null): Schemas['CheckpointDto'] {
  const call = { id: 'c', args: {}, decision: null, edited_args: null };
  const approval = verdict && { status: verdict, reason: null, decided_by: null, tool_calls: [call] };
  const run = { trace_id: 'r', step_index: 1, pending_tool_calls: [{ id: 'c' }] };
  return { ...run, status, approval } as unknown as Schemas['CheckpointDto'];
}

describe.each(['cancelled', 'error', 'completed', 'budget_exceeded'])('A run that ended: %s', (status) => {
  it.each(['approved', 'rejected', null])('has no decision any more, after the verdict %s', (verdict) => {
    expect(() => callDecisions(checkpoint(status, verdict))).toThrow(NoDecisionError);
  });
});

it.each([
  ['approved', 'approved', true],
  ['rejected', 'rejected', false],
  ['rejected', 'expired', false],
])('says what was decided: %s, %s', (status, verdict, approved) => {
  expect(callDecisions(checkpoint(status, verdict))?.get('c')).toMatchObject({ approved });
});

it.each(['waiting_for_approval', 'in_progress'])('waits for a decision on calls of a run that is %s', (status) => {
  expect(callDecisions(checkpoint(status, null))).toBeNull();
});

it('gives each call its own decision and reason, else those of all', () => {
  const calls = [
    { id: 'a', args: {}, decision: 'approve' as const, edited_args: { x: 1 }, reason: null },
    { id: 'b', args: {}, decision: 'reject' as const, edited_args: null, reason: 'Not b.' },
  ];
  const approval = { status: 'approved', reason: 'Fine.', decided_by: 'Ada', tool_calls: calls };
  const decided = callDecisions({ ...checkpoint('in_progress', null), approval });
  expect(decided?.get('a')).toEqual({
    approved: true,
    reason: 'Fine.',
    decidedBy: 'Ada',
    args: { x: 1 },
    isEdited: true,
  });
  expect(decided?.get('b')).toMatchObject({ approved: false, reason: 'Not b.', isEdited: false });
});

it.each([
  ['approve', 'reject'],
  ['reject', 'approve'],
] as const)('approves neither of two calls with one id where people %s one and %s the other', (...decisions) => {
  const tool_calls = decisions.map((decision) => ({ id: 'a', args: {}, decision, edited_args: null }));
  const approval = { status: 'approved', reason: 'Not b.', decided_by: 'Ada', tool_calls };
  const decided = callDecisions({ ...checkpoint('in_progress', null), approval });
  expect(decided?.get('a')).toMatchObject({ approved: false, reason: 'Not b.' });
});

it('gives the answers to questions', () => {
  const call = {
    id: 'a',
    args: {},
    decision: 'answer' as const,
    edited_args: null,
    answers: { q0: 'blue', q1: ['x'] },
  };
  const approval = { status: 'approved', reason: null, decided_by: 'Ada', tool_calls: [call] };
  const decided = callDecisions({ ...checkpoint('in_progress', null), approval });
  expect(decided?.get('a')).toMatchObject({ approved: true, answers: { q0: 'blue', q1: ['x'] }, isEdited: false });
});
