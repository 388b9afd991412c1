import type { ReportRow } from '../checkpoints/report-row.js';
import { NO_FLAGS } from '../flags/flags.contract.js';
import { RunList } from './run-list.json.js';

const run = { run_no: 1, trace_id: 'run-1', parent_trace_id: null, agent_id: 'support', status: 'error', attempt: 2 };
const times = {
  attempt_started_at: null,
  retry: null,
  started_at: Date.UTC(2026, 10, 20),
  updated_at: Date.UTC(2026, 10, 20, 1),
};

function report(attempt: number, step_index: number, change: Partial<ReportRow>): ReportRow {
  return { run_no: 1, attempt, step_index, is_initial: false, created_at: times.started_at, ...change } as ReportRow;
}

function jsonOf(error: string | null, reports: readonly ReportRow[]): string {
  const list = new RunList();
  for (const each of reports) list.add(each);
  return list.json({ ...run, ...times, error, ending: null, is_long: false }, NO_FLAGS);
}

describe('The list of runs', () => {
  it('sums the last values of each attempt, and gives the error as it was reported', () => {
    const reports = [
      report(1, 0, { tokens_used: 10, run_cost_usd: 0.1 }),
      report(1, 1, { tokens_used: 30, run_cost_usd: 0.3 }),
      report(2, 1, { tokens_used: 7, run_cost_usd: 0.05, created_at: Date.UTC(2026, 10, 20, 2) }),
      report(2, 0, { tokens_used: 5, run_cost_usd: 0.01 }),
    ];
    expect(jsonOf('{"code":12345678901234567890}', reports)).toBe(
      '{"trace_id":"run-1","parent_trace_id":null,"agent_id":"support","status":"error","attempts":2,"steps":4,' +
        '"tokens_used":37,"run_cost_usd":0.35,"started_at":"2026-11-20T00:00:00.000Z","attempt_started_at":"2026-11-20T00:00:00.000Z",' +
        '"updated_at":"2026-11-20T02:00:00.000Z","duration_ms":7200000,"silent":false,"in_doubt":false,"error":{"code":12345678901234567890}}',
    );
  });

  it('does not count the row that a start creates as a step', () => {
    const reports = [report(1, 0, { is_initial: true, tokens_used: 0, run_cost_usd: 0 })];
    const only = JSON.parse(jsonOf(null, reports));
    expect(only).toMatchObject({ steps: 0, tokens_used: 0, run_cost_usd: 0, error: null });
  });
});
