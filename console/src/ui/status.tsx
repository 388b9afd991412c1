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
  superseded: 'withdrawn',
  not_done: 'did not happen',
};

/** A status as the page says it. */
export function statusWords(status: string): string {
  return WORDS[status] ?? status.replaceAll('_', ' ');
}

/** A status in its colour and as a word: colour alone says nothing to many people. The exact status stands behind it. */
export function Status({ status, tone }: { status: string; tone?: Tone }) {
  return (
    <span className={`status ${tone ?? toneOf(status)}`} title={visibleString(status)}>
      <VisibleText text={statusWords(status)} isValue />
    </span>
  );
}

/** What a status does not say: that nothing is heard of a run under way, and that nobody knows whether one of its effects happened. */
export function Conditions({ isSilent, isInDoubt }: { isSilent: boolean; isInDoubt: boolean }) {
  return (
    <>
      {isSilent && <Status status="silent" tone="wait" />}
      {isInDoubt && <Status status="in doubt" tone="bad" />}
    </>
  );
}
