import type { Verb } from '../approval.entity.js';
import {
  decideCalls,
  faultsOf,
  neededFeatures,
  statusOf,
  type CallDecision,
  type DecisionCommand,
} from './decision.js';

function order(verb: Verb, ...decisions: Partial<CallDecision>[]): DecisionCommand {
  const whole = decisions.map((one) => ({ index: 0, decision: verb, args: null, reason: null, ...one }));
  return { verb, reason: null, decidedBy: null, digest: null, decisions: whole };
}

const plain = { edited_args: null, reason: null };

describe('A decision', () => {
  it('gives the calls that it does not name the verb of the path', () => {
    const decisions = decideCalls(order('approve', { index: 1, decision: 'reject', reason: 'too much' }), 3);
    expect(decisions).toEqual([
      { decision: 'approve', ...plain },
      { decision: 'reject', edited_args: null, reason: 'too much' },
      { decision: 'approve', ...plain },
    ]);
  });

  it('keeps edited arguments as their text', () => {
    const decisions = decideCalls(order('approve', { args: '{"n": 12345678901234567890}' }), 1);
    expect(decisions).toEqual([{ decision: 'approve', edited_args: '{"n": 12345678901234567890}', reason: null }]);
  });

  it.each<[Verb, Verb, string]>([
    ['approve', 'approve', 'approved'],
    ['approve', 'reject', 'approved'],
    ['reject', 'approve', 'approved'],
    ['reject', 'reject', 'rejected'],
  ])('to %s one call and %s the other makes the approval %s', (one, other, status) => {
    expect(statusOf(decideCalls(order(one, { index: 1, decision: other }), 2))).toBe(status);
  });

  it.each<[string, DecisionCommand, string[]]>([
    ['nothing for the verb alone', order('approve'), []],
    ['nothing for calls that take the verb anyway', order('reject', { decision: 'reject', reason: 'no' }), []],
    ['per_call for another verb on one call', order('approve', { decision: 'reject' }), ['per_call']],
    ['edit_args for edited arguments', order('approve', { args: '{}' }), ['edit_args']],
    ['both for both', order('reject', { decision: 'approve', args: '{}' }), ['per_call', 'edit_args']],
  ])('needs of the agent %s', (_what, given, features) => {
    expect(neededFeatures(given)).toEqual(features);
  });
});

describe('A decision is refused', () => {
  it.each<[string, DecisionCommand, string[]]>([
    ['for a call that is not there', order('approve', { index: 2 }), ['decisions[0].index']],
    ['for a call named twice', order('approve', {}, { index: 1 }, { index: 1 }), ['decisions[2].index']],
    ['for a rejected call with arguments', order('reject', { args: '{}' }), ['decisions[0].args']],
    [
      'with all its faults at once',
      order('approve', { index: 9 }, { index: 9, decision: 'reject', args: '1' }),
      ['decisions[0].index', 'decisions[1].index', 'decisions[1].index', 'decisions[1].args'],
    ],
  ])('%s', (_what, given, paths) => {
    expect(faultsOf(given, 2).map(({ path }) => path)).toEqual(paths);
  });

  it('not when it names every call once', () => {
    expect(faultsOf(order('approve', { index: 1, decision: 'reject' }, { index: 0, args: '{}' }), 2)).toEqual([]);
  });
});
