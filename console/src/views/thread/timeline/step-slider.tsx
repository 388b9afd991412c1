import { useEffect, useRef, useState } from 'react';
import type { StepWords } from './timeline-tip.js';

interface StepSliderProps {
  /** The number of steps, and the chronological position of the selected one. */
  count: number;
  place: number;
  words: (place: number) => StepWords | null;
  onSelect: (place: number) => void;
}

/** All steps by time. The slider follows the hand at once; the view follows once a frame. */
export function StepSlider({ count, place, words, onSelect }: StepSliderProps) {
  const [held, setHeld] = useState<number | null>(null);
  const frame = useRef(0);
  useEffect(() => () => cancelAnimationFrame(frame.current), []);
  // The view has caught up with the hand.
  if (held === place) setHeld(null);
  const shown = held ?? place;
  const move = (to: number) => {
    setHeld(to);
    cancelAnimationFrame(frame.current);
    frame.current = requestAnimationFrame(() => onSelect(to));
  };
  return (
    <input
      className="step-slider"
      type="range"
      aria-label="Step"
      aria-valuetext={valueText(words(shown), shown, count)}
      min={0}
      max={Math.max(0, count - 1)}
      step={1}
      value={shown}
      disabled={count < 2}
      onChange={(event) => move(Number(event.currentTarget.value))}
    />
  );
}

function valueText(words: StepWords | null, place: number, count: number): string {
  if (!words) return 'none';
  const { step, lane, time, figures, events } = words;
  return [`${step}, ${place + 1} of ${count}`, lane, time, figures.replaceAll(' · ', ', '), ...events].join('; ');
}
