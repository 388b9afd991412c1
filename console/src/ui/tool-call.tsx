import { memo, useId, useMemo, useState, type ReactNode } from 'react';
import type { ToolCall, ToolResult } from '../lib/messages.js';
import { textInJson, type TextPart } from '../lib/text-in-json.js';
import { Button } from './button.js';
import { classes } from './classes.js';
import { CopyButton } from './copy-button.js';
import { Icon } from './icon.js';
import { Pictures } from './pictures.js';
import { PlainText } from './plain-text.js';
import { ValueText } from './value-text.js';
import { VisibleText } from './visible-text.js';
import './tool-call.css';

/** Characters of the arguments shown beside the name. */
const IN_BRIEF = 160;

interface ToolCallViewProps {
  call: ToolCall;
  /** Open at first. */
  isOpen?: boolean;
  /** Shown at the end of the line, e.g. the duration, or who approved it. */
  aside?: ReactNode;
}

/** A tool call on one line; opened, its exact arguments and result. */
export const ToolCallView = memo(function ToolCallView({ call, isOpen = false, aside }: ToolCallViewProps) {
  const { name, args, result } = call;
  return (
    <Folded
      isOpen={isOpen}
      isBad={result?.isError ?? false}
      head={
        <>
          <b>
            <VisibleText text={name ?? 'tool'} isValue />
          </b>
          <span className="brief">
            <VisibleText text={briefOf(args)} isValue />
          </span>
          <span className="aside">
            {aside}
            {result?.isError && <span className="bad">failed</span>}
            {!result && <span className="open">no result</span>}
          </span>
        </>
      }
    >
      <Value label="Arguments" text={args} empty="Without arguments" />
      {result ? <Result {...result} /> : <p className="none">No result was reported.</p>}
    </Folded>
  );
});

/** A result whose call is not in this conversation. */
export const ToolResultView = memo(function ToolResultView({
  result,
  aside,
}: {
  result: ToolResult;
  aside?: ReactNode;
}) {
  return (
    <Folded
      isOpen={false}
      isBad={result.isError}
      head={
        <>
          <b>
            <VisibleText text={result.name ?? 'tool'} isValue />
          </b>
          <span className="brief">
            → <VisibleText text={briefOf(result.text)} isValue />
          </span>
          <span className="aside">
            {aside}
            <span className="open">{result.isError ? 'failed' : 'its call is not here'}</span>
          </span>
        </>
      }
    >
      <Result {...result} />
    </Folded>
  );
});

function Result({ text, isError, pictures }: ToolResult) {
  return (
    <>
      <Value label={isError ? 'Error' : 'Result'} text={text} isBad={isError} empty="An empty result" />
      {pictures && <Pictures pictures={pictures} />}
    </>
  );
}

interface FoldedProps {
  head: ReactNode;
  isOpen: boolean;
  isBad: boolean;
  children: ReactNode;
}

function Folded({ head, isOpen, isBad, children }: FoldedProps) {
  const [open, setOpen] = useState(isOpen);
  const body = useId();
  return (
    <div className={classes('tool-call', isBad && 'failed')}>
      <button
        type="button"
        className="fold-head"
        aria-expanded={open}
        aria-controls={body}
        onClick={() => setOpen(!open)}
      >
        <Icon name={open ? 'down' : 'right'} />
        {head}
      </button>
      <div id={body} className="body" hidden={!open}>
        {open && children}
      </div>
    </div>
  );
}

function Value({ label, text, empty, isBad = false }: { label: string; text: string; empty: string; isBad?: boolean }) {
  const [isRaw, setRaw] = useState(false);
  const parts = useMemo(() => (label === 'Arguments' ? null : textInJson(text)), [label, text]);
  if (text.trim() === '' || text === '{}') return <p className="none">{empty}.</p>;
  return (
    <div role="group" className={classes('value', isBad && 'bad')} aria-label={label}>
      <header>
        <span>{label}</span>
        <span>
          {parts && (
            <Button kind="quiet" onPress={() => setRaw(!isRaw)}>
              {isRaw ? 'Text' : 'Raw'}
            </Button>
          )}
          <CopyButton text={text} label={`Copy the ${label.toLowerCase()}`} />
        </span>
      </header>
      <div className="text mono" tabIndex={0}>
        {parts && !isRaw ? <TextParts parts={parts} /> : <ValueText text={text} />}
      </div>
    </div>
  );
}

/** Text meant for reading, without the quotes and escapes of its JSON. */
function TextParts({ parts }: { parts: readonly TextPart[] }) {
  return parts.map(({ name, text, isLong }, index) => (
    <div key={index} className={classes('text-part', isLong && 'long')}>
      {name !== null && (
        <span className="name">
          <VisibleText text={name} isValue />:
        </span>
      )}
      <PlainText text={text} isValue />
    </div>
  ));
}

/** The beginning on one line, never splitting a character. */
function briefOf(text: string): string {
  const line = text
    .slice(0, 4 * IN_BRIEF)
    .replaceAll(/\s+/g, ' ')
    .trim();
  if (line === '{}') return '';
  return line.length <= IN_BRIEF ? line : `${line.slice(0, IN_BRIEF).replace(/[\ud800-\udbff]$/, '')}…`;
}
