import { useEffect, useState } from 'react';
import { Button } from './button.js';

/** Copies a text; says so for two seconds, also to screen readers. */
export function CopyButton({
  text,
  label,
  children,
}: {
  text: string | (() => string);
  label: string;
  children?: string;
}) {
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), 2_000);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = () => {
    navigator.clipboard.writeText(typeof text === 'string' ? text : text()).then(
      () => setCopied(true),
      () => setCopied(false),
    );
  };
  return (
    <>
      <Button kind="quiet" icon={copied ? 'check' : 'copy'} aria-label={label} onPress={copy}>
        {children && (copied ? 'Copied' : children)}
      </Button>
      <span className="unseen" role="status">
        {copied ? 'Copied' : ''}
      </span>
    </>
  );
}
