import { useEffect, useId, useRef } from 'react';
import type { JsonFault } from '../lib/json-fault.js';

const MAX_ROWS = 24;

interface JsonAreaProps {
  label: string;
  text: string;
  /** The error in the text, with its place. */
  fault: JsonFault | null;
  onChange: (text: string) => void;
  onEscape: () => void;
}

/** An editor for JSON: takes the focus when it opens, and shows where the text is wrong. */
export function JsonArea({ label, text, fault, onChange, onEscape }: JsonAreaProps) {
  const id = useId();
  const area = useRef<HTMLTextAreaElement>(null);
  useEffect(() => area.current?.focus(), []);
  return (
    <>
      <label htmlFor={id}>{label}</label>
      <textarea
        ref={area}
        id={id}
        className="mono"
        spellCheck={false}
        autoComplete="off"
        rows={Math.min(MAX_ROWS, text.split('\n').length + 1)}
        value={text}
        aria-invalid={fault !== null}
        aria-describedby={`${id}-fault`}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onEscape();
        }}
      />
      <p className="fault" id={`${id}-fault`} role="status">
        {fault && placedFault(fault)}
      </p>
    </>
  );
}

export function placedFault({ line, column, message }: JsonFault): string {
  return `Line ${line}, column ${column}: ${message}.`;
}
