import fc from 'fast-check';
import type { TimelineInput } from './timeline-input.js';
import { timelineData, timelineLayout } from './timeline-layout.js';
import { approval, BEGIN, drawn, iso, run, step, WIDTH, works } from './timeline-samples.js';

describe('The timeline of any thread', () => {
  const second = fc.oneof(fc.integer({ min: 0, max: 300 }), fc.integer({ min: -100_000, max: 1_000_000 }));
  const trace = fc.constantFrom('r1', 'r2', 'r3', 'unlisted');
  const status = fc.constantFrom(
    'in_progress',
    'waiting_for_approval',
    'approved',
    'error',
    'completed',
    'idle',
    'odd',
  );
  const inputs: fc.Arbitrary<TimelineInput> = fc.record({
    runs: fc.array(
      fc
        .record({ trace, parent: fc.option(trace), status, from: second, to: second })
        .map(({ trace: trace_id, parent, from, to, ...rest }) =>
          run({ trace_id, parent_trace_id: parent, started_at: iso(from), updated_at: iso(to), ...rest }),
        ),
      { maxLength: 4 },
    ),
    steps: fc.array(
      fc
        .record({
          trace,
          number: fc.nat(5),
          attempt: fc.integer({ min: 1, max: 3 }),
          at: second,
          status,
          cost: fc.double({ min: 0, max: 2, noNaN: true }),
        })
        .map(({ trace: trace_id, number, at, cost, ...rest }) =>
          step(number, at, { trace_id, run_cost_usd: cost, ...rest }),
        ),
      { maxLength: 30 },
    ),
    works: fc
      .array(fc.tuple(fc.nat(30), fc.constantFrom('model' as const, 'call', 'tool', 'person'), second), {
        maxLength: 40,
      })
      .map((found) => works(...found)),
    approvals: fc.array(
      fc
        .record({ trace_id: trace, step: fc.nat(5), attempt: fc.integer({ min: 1, max: 3 }), at: second, to: second })
        .chain(({ at, to, ...rest }) =>
          fc.constantFrom(
            approval({ ...rest, created_at: iso(at), decided_at: iso(to) }),
            approval({ ...rest, created_at: iso(at), decided_at: null, status: 'pending' }),
          ),
        ),
      { maxLength: 8 },
    ),
  });
  const windows = fc
    .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0.001, max: 1, noNaN: true }))
    .map(([from, span]) => ({ from, to: from + span }));

  it('has no negative width, and nothing outside of the picture', () => {
    fc.assert(
      fc.property(inputs, second, windows, (input, now, window) => {
        const layout = timelineLayout(timelineData(input, BEGIN + now * 1_000), WIDTH, window);
        const pieces = [
          ...layout.lanes.flatMap(({ bars, marks, stops, from, to }) => [
            ...bars,
            ...marks,
            ...stops.map(({ x }) => ({ x, width: 0 })),
            { x: from, width: to - from },
          ]),
          ...layout.gaps,
          ...layout.curve.map(({ x }) => ({ x, width: 0 })),
          ...layout.ticks.map(({ x }) => ({ x, width: 0 })),
        ];
        for (const { x, width } of pieces) {
          expect(width).toBeGreaterThanOrEqual(0);
          expect(x).toBeGreaterThanOrEqual(0);
          expect(x + width).toBeLessThanOrEqual(WIDTH + 1e-6);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('reaches every step, by the bars and in the order of the slider', () => {
    fc.assert(
      fc.property(inputs, second, (input, now) => {
        const { model, layout } = drawn(input, now);
        const all = input.steps.map((_, index) => index);
        expect([...model.order].sort((one, other) => one - other)).toEqual(all);
        const inBars = layout.lanes.flatMap(({ bars }) => bars.flatMap(({ steps }) => steps));
        expect([...new Set(inBars)].sort((one, other) => one - other)).toEqual(all);
      }),
      { numRuns: 300 },
    );
  });

  it('shows bars of a lane one after the other, and later times further to the right', () => {
    fc.assert(
      fc.property(inputs, second, (input, now) => {
        const { model, scale } = drawn(input, now);
        for (const { bars, steps } of model.lanes) {
          const times = [...bars.flatMap(({ from, to }) => [from, to])];
          expect(times).toEqual([...times].sort((one, other) => one - other));
          expect(steps.every(({ from, at }) => from <= at)).toBe(true);
        }
        const units = [0, 0.25, 0.5, 0.75, 1].map((part) =>
          scale.toUnit(model.start + part * (model.end - model.start)),
        );
        expect(units).toEqual([...units].sort((one, other) => one - other));
      }),
      { numRuns: 200 },
    );
  });
});
