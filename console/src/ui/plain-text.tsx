import { useMemo, useState } from 'react';
import { formatCompact } from '../lib/format.js';
import { Button } from './button.js';
import { classes } from './classes.js';
import { CopyButton } from './copy-button.js';
import { VisibleText } from './visible-text.js';
import './plain-text.css';

/** Characters that are shown at first. */
export const SHOWN = 20_000;
/** Characters in one block of what is shown on request; the browser lays out only those that are near. */
const BLOCK = 20_000;

interface TextProps {
  text: string;
  /** For arguments and results, which people compare. */
  isValue?: boolean;
}

/** Text of a stranger as it was written; a long one is cut, with a button that shows all of it. */
export function PlainText({ text, isValue }: TextProps) {
  return (
    <>
      <Plain text={text.slice(0, SHOWN)} isValue={isValue} />
      <Rest text={text} isValue={isValue} />
    </>
  );
}

/** Text as it was written, all of it. */
export function Plain({ text, isValue, isFar }: TextProps & { isFar?: boolean }) {
  return (
    <div className={classes('plain-text', isFar && 'far')} dir="auto">
      <VisibleText text={text} isValue={isValue} />
    </div>
  );
}

/** What is not {@link SHOWN} of a long text, on request; nothing for a short one. */
export function Rest({ text, isValue }: TextProps) {
  const [isWhole, setIsWhole] = useState(false);
  if (text.length <= SHOWN) return null;
  if (isWhole) return <Blocks text={text} isValue={isValue} />;
  return (
    <div className="show-all">
      <Button icon="down" onPress={() => setIsWhole(true)}>
        Show all
      </Button>
      <span>{formatCompact(text.length)} characters in all.</span>
      <CopyButton text={text} label="Copy the whole text" />
    </div>
  );
}

function Blocks({ text, isValue }: TextProps) {
  const starts = useMemo(
    () => Array.from({ length: Math.ceil((text.length - SHOWN) / BLOCK) }, (_, block) => SHOWN + block * BLOCK),
    [text],
  );
  return starts.map((from) => <Plain key={from} text={text.slice(from, from + BLOCK)} isValue={isValue} isFar />);
}
