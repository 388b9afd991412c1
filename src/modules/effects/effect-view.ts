import { isoTime } from '../../common/clock.js';
import type { Effect } from './effect.entity.js';

/** The effect as JSON text, with reported parts unchanged. */
export function effectJson(effect: Effect, isInDoubt: boolean): string {
  const { args, result, error } = effect;
  const summary = JSON.stringify(effectSummary(effect, isInDoubt));
  return `${summary.slice(0, -1)},"args":${args ?? 'null'},"result":${result ?? 'null'},"error":${error ?? 'null'}}`;
}

/** Without arguments, result and error, which may be long: for streams and refusals. */
export function effectSummary(effect: Effect, isInDoubt: boolean) {
  const { thread_id, key, trace_id, agent_id, tool, kind, call_id, state, attempt, holder } = effect;
  const { started_at, settled_at, result_omitted, decided_by, reason } = effect;
  return {
    ...{ thread_id, key, trace_id, agent_id, tool, kind, call_id, state, in_doubt: isInDoubt, attempt, holder },
    started_at: isoTime(started_at),
    settled_at: settled_at === null ? null : isoTime(settled_at),
    result_omitted: Boolean(result_omitted),
    ...{ decided_by, reason },
  };
}

export function effectVersion({ thread_pk, seq, rev }: Effect, isInDoubt: boolean): string {
  return `${thread_pk}-${seq}-${rev}${isInDoubt ? '-d' : ''}`;
}
