import { useMemo, useState } from 'react';
import { diffJson, differs, type DiffLine } from '../lib/json-diff.js';
import { formatCount } from '../lib/format.js';
import { Icon } from './icon.js';
import { VisibleText } from './visible-text.js';
import './json-diff.css';

/** Lines that are drawn; a longer difference tells a person nothing. */
const MAX_LINES = 2_000;
/** Characters shown of a line. */
const LINE_SHOWN = 2_000;

const SIGNS = { same: ' ', added: '+', removed: '−' };
const SPOKEN = { same: '', added: 'added: ', removed: 'removed: ' };

interface JsonDiffProps {
  /** As `parseExact` returned them. */
  before: unknown;
  after: unknown;
  label: string;
}

/** The difference between two JSON values, line by line; equal parts are folded. */
export function JsonDiff({ before, after, label }: JsonDiffProps) {
  const lines = useMemo(() => diffOf(before, after), [before, after]);
  return <DiffLines lines={lines} label={label} />;
}

/** The lines of an existing difference, e.g. of `diffTexts`. */
export function DiffLines({ lines, label }: { lines: readonly DiffLine[]; label: string }) {
  if (!differs(lines)) return <p className="no-difference">No difference.</p>;
  return (
    <div className="json-diff mono" role="group" aria-label={label} tabIndex={0}>
      {lines
        .slice(0, MAX_LINES)
        .map((line, index) =>
          line.kind === 'fold' ? (
            <Fold key={index} lines={line.lines} />
          ) : (
            <Line key={index} kind={line.kind} text={line.text} />
          ),
        )}
      {lines.length > MAX_LINES && <p className="cut">{formatCount(lines.length - MAX_LINES)} more lines differ.</p>}
    </div>
  );
}

function Line({ kind, text }: { kind: 'same' | 'added' | 'removed'; text: string }) {
  return (
    <div className={`diff-line ${kind}`}>
      <span aria-hidden="true">{SIGNS[kind]}</span>
      <span className="unseen">{SPOKEN[kind]}</span>
      <span className="text">
        <VisibleText text={text.slice(0, LINE_SHOWN)} isValue />
        {text.length > LINE_SHOWN && `… ${formatCount(text.length)} characters`}
      </span>
    </div>
  );
}

function Fold({ lines }: { lines: readonly string[] }) {
  const [open, setOpen] = useState(false);
  if (open) return lines.slice(0, MAX_LINES).map((text, index) => <Line key={index} kind="same" text={text} />);
  return (
    <button type="button" className="fold" onClick={() => setOpen(true)}>
      <Icon name="more" /> {formatCount(lines.length)} equal lines
    </button>
  );
}

function diffOf(before: unknown, after: unknown): DiffLine[] {
  try {
    return diffJson(before, after);
  } catch {
    return [{ kind: 'added', text: 'JSON that is nested too deeply to compare.' }];
  }
}
