import { hidesSomething } from '../lib/visible-text.js';
import { classes } from './classes.js';
import { VisibleText } from './visible-text.js';
import './short-id.css';

/** Characters at the end that always show: ids of one kind often begin alike. */
const TAIL = 4;
/** Shorter ids are not split. */
const SHORT = 3 * TAIL;

/**
 * An id whose middle is cut if it does not fit, as `0b2f…7a21`; whole while it has the focus. Its text stays whole for copying.
 * Give a surrounding link `nameOfId` as its name: screen readers would read the halves as two words.
 */
export function ShortId({ id, className }: { id: string; className?: string }) {
  const characters = [...id];
  const isCut = characters.length > SHORT && !hidesSomething(id);
  const at = isCut ? characters.length - TAIL : characters.length;
  return (
    <span className={classes('short-id', className)}>
      <span className="head">
        <VisibleText text={characters.slice(0, at).join('')} isValue />
      </span>
      {isCut && (
        <span className="tail">
          <VisibleText text={characters.slice(at).join('')} isValue />
        </span>
      )}
    </span>
  );
}

/** Undefined for an id with hidden characters, which is not cut. */
export function nameOfId(id: string): string | undefined {
  return hidesSomething(id) ? undefined : id;
}
