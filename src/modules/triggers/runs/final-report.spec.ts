import { finalEvents, type EndedRun } from './final-report.js';
import { looksUnreported, NOTHING_REPORTED, readState } from './reported-state.js';
import type { RunOutcome } from './run-log.service.js';

const ids = { thread_id: 't', trace_id: 'r', agent_id: 'support' };
const NOW = '2026-01-01T00:00:00.000Z';
const answered: RunOutcome = { kind: 'completed', answer: 'the answer' };
const user = { role: 'user', content: 'hello' };

function latest(fields: Record<string, unknown>): string {
  const { values } = NOTHING_REPORTED;
  return JSON.stringify({ ...ids, ...values, updated_at: NOW, error: null, approval: null, ...fields });
}

function events(run: Partial<EndedRun>) {
  const whole: EndedRun = {
    ids,
    message: 'hello',
    outcome: answered,
    reported: NOTHING_REPORTED,
    isUntouched: true,
    isSelfReported: false,
    budgetUsd: null,
    costUsd: 0,
    now: NOW,
    ...run,
  };
  return finalEvents(whole).map(({ type, dataText }) => ({ type, dataText, data: JSON.parse(dataText) }));
}

describe('The end of a run', () => {
  it('of a program that only answers is a conversation of two messages', () => {
    const [checkpoint, end] = events({});
    expect(checkpoint?.data).toMatchObject({
      ...ids,
      step_index: 0,
      history: [user, { role: 'assistant', content: 'the answer' }],
      history_meta: [{ ts: NOW }, { ts: NOW, tokens_in: 0, tokens_out: 0 }],
    });
    expect(end).toMatchObject({ type: 'thread_completed', data: ids });
  });

  it('goes on with the memory that the start carried forward, even where the message repeats', () => {
    const before = [user, { role: 'assistant', content: 'the answer' }];
    const reported = readState(latest({ history: before, history_meta: [{ ts: NOW }, { ts: NOW }] }));
    const [checkpoint] = events({ reported });
    expect(checkpoint?.data).toMatchObject({ step_index: 0, turn_start_history_len: 2 });
    expect(checkpoint?.data.history).toHaveLength(4);
    expect(checkpoint?.data.history_meta).toHaveLength(4);
  });

  it('adds the answer behind what the program reported, exactly as that was', () => {
    const reported = readState(
      latest({ step_index: 4, history: [user], tokens_used: 9 }).replace(
        '"hello"}',
        '"hello","n":12345678901234567890 }',
      ),
    );
    const [checkpoint, end] = events({ reported, isUntouched: false });
    expect(checkpoint?.dataText).toContain('"n":12345678901234567890 },{"role":"assistant"');
    expect(checkpoint?.data).toMatchObject({ step_index: 5, tokens_used: 9 });
    expect(end?.data).toMatchObject({ tokens_used: 9 });
  });

  it.each([
    ['as text', { role: 'assistant', content: 'the answer' }],
    ['as parts', { role: 'assistant', content: [{ type: 'text', text: 'the answer' }] }],
  ])('says nothing twice: the answer is there %s', (_, message) => {
    const reported = readState(latest({ step_index: 1, history: [user, message] }));
    expect(events({ reported, isUntouched: false }).map(({ type }) => type)).toEqual(['thread_completed']);
  });

  it('finds what was said however deep the message is nested', () => {
    const depth = 5_000;
    const deep = JSON.parse(`${'['.repeat(depth)}"the answer"${']'.repeat(depth)}`) as unknown;
    const { values } = NOTHING_REPORTED;
    const reported = { ...NOTHING_REPORTED, values: { ...values, step_index: 1, history: [user, deep] } };
    expect(events({ reported, isUntouched: false }).map(({ type }) => type)).toEqual(['thread_completed']);
  });

  it('leaves the record of a program that keeps its own alone', () => {
    const reported = readState(latest({ step_index: 1, history: [{ role: 'user', content: 'other' }] }));
    const types = events({ reported, isUntouched: false, isSelfReported: true }).map(({ type }) => type);
    expect(types).toEqual(['thread_completed']);
  });

  it('keeps members that only the program understands', () => {
    const reported = readState(latest({ step_index: 1, history: [user], state: { cursor: 3 } }));
    expect(events({ reported, isUntouched: false })[0]?.data).toMatchObject({ state: { cursor: 3 } });
  });

  it('of a program that failed has the message and the reason, but no answer', () => {
    const error = { message: 'exit code 3', exit_code: 3, signal: null, stderr: 'why' };
    const [checkpoint, end] = events({ outcome: { kind: 'failed', error } });
    expect(checkpoint?.data.history).toEqual([user]);
    expect(end).toMatchObject({ type: 'thread_error', data: { ...ids, error } });
  });

  it('of a cancelled run has its message alone, in a step that does not open it again, and only where nobody told it', () => {
    const outcome = { kind: 'cancelled' } as const;
    const before = { role: 'assistant', content: 'before' };
    const reported = readState(latest({ status: 'cancelled', history: [before] }));
    const [checkpoint, ...others] = events({ outcome, reported });
    expect(checkpoint?.data).toMatchObject({ step_index: 0, history: [before, user], turn_start_history_len: 0 });
    expect(others).toEqual([]);
    expect(events({ outcome, reported: readState(latest({ history: [user] })) })).toEqual([]);
    const saidBefore = readState(latest({ history: [user, before] }));
    expect(events({ outcome, reported: saidBefore })[0]?.data).toMatchObject({ history: [user, before, user] });
    expect(events({ outcome, reported, isUntouched: false })).toEqual([]);
  });

  it('over budget tells both amounts', () => {
    const end = events({ outcome: { kind: 'budget_exceeded' }, budgetUsd: 0.5, costUsd: 0.7 }).at(-1);
    expect(end).toMatchObject({ type: 'thread_budget_exceeded', data: { run_cost_usd: 0.7, budget_usd: 0.5 } });
  });
});

describe('A state at the API', () => {
  it('looks untouched only while nothing was reported', () => {
    expect(looksUnreported(readState(latest({ history: [user] })))).toBe(true);
    expect(looksUnreported(readState(latest({ status: 'cancelled' })))).toBe(true);
    for (const fields of [{ step_index: 1 }, { tokens_used: 1 }, { status: 'idle' }, { state: 1 }]) {
      expect(looksUnreported(readState(latest(fields)))).toBe(false);
    }
  });
});
