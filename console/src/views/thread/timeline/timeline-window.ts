/** The visible part of the whole, from 0 to 1. */
export interface TimelineWindow {
  from: number;
  to: number;
}

export const WHOLE: TimelineWindow = { from: 0, to: 1 };
