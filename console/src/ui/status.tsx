import { visibleString } from '../lib/visible-text.js';
import { VisibleText } from './visible-text.js';
import './status.css';

/** The kinds of states that have a colour of their own. */
export type Tone = 'run' | 'wait' | 'done' | 'bad' | 'off';

/** What the statuses of threads and runs mean for the person who looks. */
const TONES: Record<string, Tone> = {
  in_progress: 'run',
  approved: 'run',
  rejected: 'run',
  waiting_for_approval: 'wait',
  completed: 'done',
  error: 'bad',
  budget_exceeded: 'bad',
  cancelled: 'off',
  idle: 'off',
};

/** The colour of a status; unknown ones, which agents may invent, get the quiet one. */
export function toneOf(status: string): Tone {
  return TONES[status] ?? 'off';
}

/** The words of a person for the statuses of the API. */
const WORDS: Record<string, string> = {
  in_progress: 'running',
  waiting_for_approval: 'waiting',
  error: 'failed',
  budget_exceeded: 'over budget',
};

/** A status in its colour and as a word: colour alone says nothing to many people. The exact status stands behind it. */
export function Status({ status, tone }: { status: string; tone?: Tone }) {
  return (
    <span className={`status ${tone ?? toneOf(status)}`} title={visibleString(status)}>
      <VisibleText text={WORDS[status] ?? status.replaceAll('_', ' ')} isValue />
    </span>
  );
}
