import { APPROVAL_STORIES } from './approval-stories.mjs';
import { ENDING_STORIES } from './ending-stories.mjs';
import { MONEY_STORIES } from './money-stories.mjs';
import { TEAM_STORIES } from './team-stories.mjs';

const MINUTE_MS = 60_000;

/** One story for each thing that a run can do: wait, be decided, crash, spend, call others, end in each way. */
export function craftedStories(nowMs) {
  const ago = (minutes) => nowMs - minutes * MINUTE_MS;
  const all = [...APPROVAL_STORIES, ...TEAM_STORIES, ...ENDING_STORIES, ...MONEY_STORIES];
  return all.flatMap((story) => story(ago));
}
