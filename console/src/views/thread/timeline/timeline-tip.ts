import { formatClock, formatCost, formatCount, formatDuration } from '../../../lib/format.js';
import { visibleString } from '../../../lib/visible-text.js';
import type { TimelineData } from './timeline-layout.js';
import type { TimelineLane } from './timeline-model.js';

/** A step in words. */
export interface StepWords {
  /** Agent, run and attempt. */
  lane: string;
  step: string;
  time: string;
  /** Its own duration, tokens and cost. */
  figures: string;
  /** Events at this step. */
  events: string[];
}

/** A summary of a step. @param index of the step among all */
export function stepWords({ input, model }: TimelineData, index: number): StepWords | null {
  const lane = model.lanes.find(({ steps }) => steps.some((one) => one.index === index));
  const place = lane?.steps.findIndex((one) => one.index === index) ?? -1;
  const own = lane?.steps[place];
  const step = input.steps[index];
  if (!lane || !own || !step) return null;
  const before = place > 0 ? input.steps[lane.steps[place - 1]!.index] : undefined;
  const tokens = Math.max(0, step.tokens_used - (before?.tokens_used ?? 0));
  const cost = Math.max(0, step.run_cost_usd - (before?.run_cost_usd ?? 0));
  return {
    lane: laneWords(lane),
    step: `Step ${own.number}`,
    time: formatClock(new Date(own.at).toISOString()),
    figures: [
      formatDuration(own.at - own.from),
      ...(tokens > 0 ? [`+${formatCount(tokens)} tokens`] : []),
      ...(cost > 0 ? [`+${formatCost(cost)}`] : []),
    ].join(' · '),
    events: lane.marks.filter((mark) => mark.step === index).map(markWords),
  };
}

export function laneWords({ run, attempt }: TimelineLane): string {
  const agent = visibleString(run.agent_id);
  return attempt > 1 ? `${agent}, attempt ${attempt}` : agent;
}

/** An event as part of a sentence, with its duration. */
export function markWords({ kind, text, at, to }: TimelineLane['marks'][number]): string {
  const words = visibleString(text);
  return kind === 'approval' && to !== undefined ? `${words}, ${formatDuration(to - at)}` : words;
}
