import { visibleString } from '../lib/visible-text.js';
import { VisibleText } from './visible-text.js';
import './status.css';

/** The kinds of states that have their own colours. */
export type Tone = 'run' | 'wait' | 'done' | 'bad' | 'off';

/** What the statuses of threads and runs mean to a person. */
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

/** The colour of a status; unknown ones, which agents may invent, get the muted colour. */
export function toneOf(status: string): Tone {
  return TONES[status] ?? 'off';
}

/** The API's statuses in plain words. */
const WORDS: Record<string, string> = {
  in_progress: 'running',
  waiting_for_approval: 'waiting',
  error: 'failed',
  budget_exceeded: 'over budget',
  superseded: 'withdrawn',
  not_done: 'did not happen',
};

/** A status as the page says it. */
export function statusWords(status: string): string {
  return WORDS[status] ?? status.replaceAll('_', ' ');
}

/** A status in its colour and as a word, because colour alone is not accessible. The exact status is in the tooltip. */
export function Status({ status, tone }: { status: string; tone?: Tone }) {
  return (
    <span className={`status ${tone ?? toneOf(status)}`} title={visibleString(status)}>
      <VisibleText text={statusWords(status)} isValue />
    </span>
  );
}

/** Conditions beyond the status: a run in progress that has fallen silent, and an effect with an unknown outcome. */
export function Conditions({ isSilent, isInDoubt }: { isSilent: boolean; isInDoubt: boolean }) {
  return (
    <>
      {isSilent && <Status status="silent" tone="wait" />}
      {isInDoubt && <Status status="in doubt" tone="bad" />}
    </>
  );
}
