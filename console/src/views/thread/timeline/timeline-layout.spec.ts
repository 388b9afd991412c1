import { approval, BEGIN, drawn, iso, run, step, WIDTH, works } from './timeline-samples.js';
import type { TimelineInput } from './timeline-input.js';
import { timelineLayout } from './timeline-layout.js';

/** Bars, with times in seconds since the beginning. */
const barsOf = (input: TimelineInput, nowSecond?: number) =>
  drawn(input, nowSecond).model.lanes.map(({ bars }) =>
    bars.map(({ kind, from, to }) => `${kind} ${(from - BEGIN) / 1_000}-${(to - BEGIN) / 1_000}`),
  );
const second = (number: number, at: number) => step(number, at, { attempt: 2 });
const marksOf = (input: TimelineInput) =>
  drawn(input).model.lanes.map(({ marks }) => marks.map(({ kind, step: at }) => `${kind}@${at}`));

describe('The timeline of a thread', () => {
  it('shows a step without messages as work of the model', () => {
    expect(barsOf({ runs: [run()], steps: [step(0, 4), step(1, 10)] })).toEqual([['model 0-4', 'model 4-10']]);
  });

  it('divides a step into the work of the model and of its tools', () => {
    const messages = works([0, 'call', 4], [0, 'tool', 6], [1, 'model', 10]);
    const steps = [step(0, 6), step(1, 10)];
    expect(barsOf({ runs: [run()], steps, works: messages })).toEqual([['model 0-4', 'tool 4-6', 'model 6-10']]);
  });

  it('shows the work of a tool that was called in the step before', () => {
    const messages = works([0, 'call', 4]);
    expect(barsOf({ runs: [run()], steps: [step(0, 4), step(1, 9)], works: messages })).toEqual([
      ['model 0-4', 'tool 4-9'],
    ]);
  });

  it('names the tools at work', () => {
    const messages = works([0, 'call', 4], [1, 'tool', 9]);
    messages.get(0)![0]!.tools = 'refund';
    const { layout } = drawn({ runs: [run()], steps: [step(0, 4), step(1, 9)], works: messages });
    expect(layout.lanes[0]!.bars.map(({ tools }) => tools)).toEqual([undefined, 'refund']);
  });

  it('shows nobody at work before the message of a person', () => {
    const messages = works([1, 'person', 50], [1, 'model', 53]);
    expect(barsOf({ runs: [run()], steps: [step(0, 4), step(1, 53)], works: messages })).toEqual([
      ['model 0-4', 'model 50-53'],
    ]);
  });

  it('shows a decided approval as waiting from the report to the decision', () => {
    const steps = [step(0, 10, { status: 'approved' }), step(1, 55)];
    const input = { runs: [run()], steps, approvals: [approval()] };
    expect(barsOf(input)).toEqual([['model 0-10', 'wait 10-50', 'tool 50-55']]);
    expect(marksOf(input)).toEqual([['approval@0', 'completed@1']]);
  });

  it('does not show a question as waiting that was withdrawn, as by a cancellation', () => {
    const steps = [step(0, 10, { status: 'waiting_for_approval' })];
    const approvals = [approval({ status: 'superseded', decided_at: null, decided_by: null })];
    const input = { runs: [run({ status: 'cancelled', updated_at: iso(60) })], steps, approvals };
    expect(barsOf(input)).toEqual([['model 0-10', 'wait 10-10']]);
  });

  it('shows the attempt that somebody asked for from that moment, and who did it at the end of the one before', () => {
    const event = { type: 'retried' as const, at: iso(40), by: 'kim', through: null, reason: 'key is new', attempt: 2 };
    const retried = { status: 'in_progress', attempts: 2, attempt_started_at: iso(40), events: [event] };
    const { lanes } = drawn({ runs: [run(retried)], steps: [step(0, 10, { status: 'error' })] }, 70).model;
    expect(lanes.map(({ attempt, start, end }) => [attempt, (start - BEGIN) / 1_000, (end - BEGIN) / 1_000])).toEqual([
      [1, 0, 10],
      [2, 40, 70],
    ]);
    expect(lanes[0]!.marks.at(-1)).toMatchObject({ kind: 'error', text: 'failed; retried by kim: key is new' });
  });

  it('lets a pending approval wait until now', () => {
    const steps = [step(0, 10, { status: 'waiting_for_approval' })];
    const input = { runs: [run({ status: 'waiting_for_approval' })], steps };
    expect(barsOf(input, 70)).toEqual([['model 0-10', 'wait 10-70']]);
    expect(barsOf(input, 80)).toEqual([['model 0-10', 'wait 10-80']]);
  });

  it('lets the lane of a running run grow', () => {
    const input = {
      runs: [run({ status: 'in_progress' })],
      steps: [step(0, 10)],
      works: works([0, 'call', 10]),
    };
    expect(barsOf(input, 12)).toEqual([['model 0-10', 'tool 10-12']]);
    expect(drawn(input, 15).model.lanes[0]).toMatchObject({ isOpen: true, end: BEGIN + 15_000 });
  });

  it('breaks the track where a process died, and joins it to the next attempt', () => {
    const steps = [step(0, 2), step(1, 4), second(0, 40), second(1, 44)];
    const { model } = drawn({ runs: [run()], steps });
    expect(model.lanes).toMatchObject([
      { key: 'r1 1', attempt: 1, isBroken: true, previous: null, end: BEGIN + 4_000 },
      { key: 'r1 2', attempt: 2, isBroken: false, previous: 'r1 1', start: BEGIN + 40_000 },
    ]);
    expect(marksOf({ runs: [run()], steps })).toEqual([['restart@1'], ['completed@3']]);
  });

  it('calls the retry of a failed run no restart', () => {
    const steps = [step(0, 2, { status: 'error' }), second(0, 40)];
    expect(marksOf({ runs: [run()], steps })).toEqual([['error@0'], ['completed@1']]);
  });

  it('puts sub-agents below the run that started them', () => {
    const runs = [
      run({ trace_id: 'late', parent_trace_id: 'child', started_at: iso(3) }),
      run({ trace_id: 'child', parent_trace_id: 'r1', started_at: iso(2) }),
      run({ trace_id: 'other', started_at: iso(1) }),
      run(),
    ];
    const steps = [
      step(0, 1),
      second(0, 30),
      ...['other', 'child', 'late'].map((trace_id) => step(0, 5, { trace_id })),
    ];
    expect(drawn({ runs, steps }).model.lanes.map(({ key, depth, parent }) => [key, depth, parent])).toEqual([
      ['r1 1', 0, null],
      ['r1 2', 0, null],
      ['child 1', 1, 'r1 1'],
      ['late 1', 2, 'child 1'],
      ['other 1', 0, null],
    ]);
  });

  it('survives runs that are their own parents', () => {
    const runs = [run({ trace_id: 'a', parent_trace_id: 'b' }), run({ trace_id: 'b', parent_trace_id: 'a' })];
    expect(drawn({ runs, steps: [] }).model.lanes.map(({ key }) => key)).toEqual(['a 1', 'b 1']);
  });

  it.each([
    ['error', 'error'],
    ['budget_exceeded', 'error'],
    ['cancelled', 'cancelled'],
    ['completed', 'completed'],
    ['idle', 'idle'],
  ])('marks the end of a run of status %s', (status, kind) => {
    expect(marksOf({ runs: [run({ status })], steps: [step(0, 3)] })).toEqual([[`${kind}@0`]]);
  });

  it('marks the first step that warns of the budget', () => {
    const warned = { budget_warning: true };
    const steps = [step(0, 3), step(1, 4, warned), step(2, 5, warned)];
    expect(marksOf({ runs: [run({ status: 'in_progress' })], steps })).toEqual([['budget@1']]);
  });

  it('takes the times of messages for reports that came late', () => {
    const messages = works(...[0, 1, 2, 3].map((place) => [place, 'model', 10 * (place + 1)] as const));
    const steps = [step(0, 10), step(1, 60), step(2, 60), step(3, 60)];
    expect(barsOf({ runs: [run()], steps, works: messages })).toEqual([
      ['model 0-10', 'model 10-20', 'model 20-30', 'model 30-40'],
    ]);
  });

  it('takes the times of reports where the clock of the agent is wrong, or jumps', () => {
    const steps = [step(0, 10), step(1, 20), step(2, 30)];
    const ahead = works([0, 'model', 3_610], [1, 'model', 3_620], [2, 'model', 3_630]);
    const jumping = works([0, 'model', 10], [1, 'model', 3_620], [2, 'model', 3_630]);
    const expected = [['model 0-10', 'model 10-20', 'model 20-30']];
    expect(barsOf({ runs: [run()], steps, works: ahead })).toEqual(expected);
    expect(barsOf({ runs: [run()], steps, works: jumping })).toEqual(expected);
  });

  it('places a step that was reported behind later ones before them', () => {
    const steps = [step(0, 10), step(1, 40), step(2, 20)];
    expect(barsOf({ runs: [run()], steps })).toEqual([['model 0-10', 'model 10-20', 'model 20-20']]);
  });

  it('cuts a night of waiting, and says so', () => {
    const night = 9 * 3_600;
    const approvals = [approval({ created_at: iso(20), decided_at: iso(night) })];
    const steps = [step(0, 20, { status: 'approved' }), step(1, night + 40)];
    const { layout } = drawn({ runs: [run({ updated_at: iso(night + 40) })], steps, approvals });
    expect(layout.gaps).toHaveLength(1);
    const [bars] = layout.lanes.map(({ bars }) => bars.map(({ kind, width }) => [kind, Math.round(width)]));
    // 20 and 40 seconds of work, and a night that takes as much room as a quarter of them.
    expect(bars).toEqual([
      ['model', 267],
      ['wait', 200],
      ['tool', 533],
    ]);
  });

  it('adds up what attempts and runs cost, and what they may cost', () => {
    const runs = [run(), run({ trace_id: 'sub', parent_trace_id: 'r1' }), run({ trace_id: 'r2', started_at: iso(50) })];
    const sub = step(0, 12, { trace_id: 'sub', run_cost_usd: 0.5, budget_usd: 9 });
    const next = step(0, 55, { trace_id: 'r2', run_cost_usd: 0.25, budget_usd: 2 });
    const { curve } = drawn({ runs, steps: [step(0, 10), step(1, 20), second(0, 30), sub, next] });
    expect(curve.map(({ cost, budget }) => [cost.toFixed(2), budget])).toEqual([
      ['0.01', 1],
      ['0.51', 1],
      ['0.52', 1],
      ['0.53', 1],
      ['0.78', 3],
    ]);
  });

  it('shows 2,000 steps as no more bars than there is room for, without losing one', () => {
    const steps = Array.from({ length: 2_000 }, (_, number) => step(number, number + 1));
    const { layout } = drawn({ runs: [run({ updated_at: iso(2_000) })], steps });
    const [lane] = layout.lanes;
    expect(lane!.bars.length).toBeLessThanOrEqual(WIDTH / 2 + 1);
    expect(lane!.bars.flatMap((bar) => bar.steps)).toEqual(steps.map((_, index) => index));
    expect(lane!.stops).toEqual([]);
  });

  it('draws of the cost only what was spent up to the end of the window', () => {
    const steps = [10, 20, 30, 40].map((second, number) => step(number, second));
    const { scale, input, model, curve } = drawn({ runs: [run({ updated_at: iso(40) })], steps });
    const window = { from: scale.toUnit(BEGIN + 15_000), to: scale.toUnit(BEGIN + 35_000) };
    const layout = timelineLayout({ input, model, scale, curve }, WIDTH, window);
    expect(layout.curve.map(({ x, cost }) => [Math.round(x), cost.toFixed(2)])).toEqual([
      [0, '0.01'],
      [250, '0.02'],
      [750, '0.03'],
      [1_000, '0.03'],
    ]);
  });

  it('draws an empty thread as nothing', () => {
    expect(drawn({ runs: [], steps: [] }).layout.lanes).toEqual([]);
  });
});
