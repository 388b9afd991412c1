/** The part of the whole that is in sight, from 0 to 1. */
export interface TimelineWindow {
  from: number;
  to: number;
}

export const WHOLE: TimelineWindow = { from: 0, to: 1 };
