import { outcomeOf, textWithoutMark, MARK, type CallOutcomes, type KnownEffect } from './call-outcomes.js';
import { cutText } from '../../../common/cut-text.js';

/** Characters of a result in a note; the effect itself has all of it. */
const NOTED_LENGTH = 2000;

/** A note for the model about an effect whose call it does not see. */
interface EffectNote {
  text: string;
  call_id: string | null;
  detail: string;
}

/** Notes on settled or doubtful effects whose calls are not in the history. Does not repeat existing notes. */
export function notesOn(
  effects: readonly KnownEffect[],
  outcomes: CallOutcomes,
  history: readonly Buffer[],
): EffectNote[] {
  if (effects.length === 0) return [];
  const marked = history.filter((message) => message.includes(MARK));
  const missing = effects.filter(
    (effect) => (effect.state !== 'started' || effect.in_doubt) && !outcomes.isInHistory(effect),
  );
  return missing.map(noteOn).filter(({ text }) => {
    const written = JSON.stringify(text).slice(1, -1);
    return !marked.some((message) => message.includes(written));
  });
}

function noteOn(effect: KnownEffect): EffectNote {
  const { key, tool, call_id } = effect;
  const { detail, text } = outcomeOf(effect);
  const state = effect.in_doubt ? 'is in doubt' : STATES[effect.state];
  return {
    text: `${MARK}The effect ${key} (tool ${tool}) ${state}: ${cutText(textWithoutMark(text), NOTED_LENGTH)}`,
    call_id,
    detail,
  };
}

const STATES = {
  started: 'was started',
  completed: 'was completed',
  failed: 'failed',
  not_done: 'was not done',
} as const;
