import { useMemo, useState } from 'react';
import { formatCompact } from '../lib/format.js';
import { Button } from './button.js';
import { classes } from './classes.js';
import { CopyButton } from './copy-button.js';
import { VisibleText } from './visible-text.js';
import './plain-text.css';

/** Characters shown at first. */
export const SHOWN = 20_000;
/** Characters in one block of the full text; the browser only lays out blocks near the visible ones. */
const BLOCK = 20_000;

interface TextProps {
  text: string;
  /** For arguments and results, which people compare. */
  isValue?: boolean;
}

/** Untrusted text as written; a long one is truncated, with a button that shows all of it. */
export function PlainText({ text, isValue }: TextProps) {
  return (
    <>
      <Plain text={text.slice(0, SHOWN)} isValue={isValue} />
      <Rest text={text} isValue={isValue} />
    </>
  );
}

/** The whole text, as written. */
export function Plain({ text, isValue, isFar }: TextProps & { isFar?: boolean }) {
  return (
    <div className={classes('plain-text', isFar && 'far')} dir="auto">
      <VisibleText text={text} isValue={isValue} />
    </div>
  );
}

/** The rest of a long text beyond {@link SHOWN}, on request; nothing for a short one. */
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
