import { useEffect, useState } from 'react';
import { Button } from './button.js';
import { copyText } from './copy-text.js';

const SAID_MS = 2_000;
const FAILED_MS = 6_000;

/** Copies a text, and briefly says whether that worked, for screen readers too. */
export function CopyButton({
  text,
  label,
  children,
}: {
  text: string | (() => string);
  label: string;
  children?: string;
}) {
  const [outcome, setOutcome] = useState<'copied' | 'failed' | null>(null);
  const copied = outcome === 'copied';
  useEffect(() => {
    if (outcome === null) return;
    const timer = setTimeout(() => setOutcome(null), outcome === 'copied' ? SAID_MS : FAILED_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = () => {
    void copyText(typeof text === 'string' ? text : text()).then((worked) => setOutcome(worked ? 'copied' : 'failed'));
  };
  return (
    <>
      <Button kind="quiet" icon={copied ? 'check' : 'copy'} aria-label={label} onPress={copy}>
        {children && (copied ? 'Copied' : children)}
      </Button>
      <span className={outcome === 'failed' ? 'copy-failed' : 'unseen'} role="status">
        {copied ? 'Copied' : outcome === 'failed' ? 'The browser did not copy it: select it instead.' : ''}
      </span>
    </>
  );
}
