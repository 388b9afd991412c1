import { memo, useId, useMemo, useState, type ReactNode } from 'react';
import { stringifyExact } from '../api/exact-json.js';
import type { Message, MessagePart, ToolCall } from '../lib/messages.js';
import { isLog } from '../lib/text-in-json.js';
import { visibleString } from '../lib/visible-text.js';
import { formatCount } from '../lib/format.js';
import { Button } from './button.js';
import { classes } from './classes.js';
import { Icon } from './icon.js';
import { Markdown } from './markdown.js';
import { Pictures } from './pictures.js';
import { PlainText, SHOWN } from './plain-text.js';
import { ToolCallView, ToolResultView } from './tool-call.js';
import { VisibleText } from './visible-text.js';
import './message.css';

interface MessageViewProps {
  message: Message;
  /** Shown below the speaker's name, e.g. time and tokens. */
  meta?: ReactNode;
  /** Shown at the end of a call's line, e.g. its duration. */
  callAside?: (call: ToolCall) => ReactNode;
  /** Whether a call is open at first. */
  isCallOpen?: (call: ToolCall) => boolean;
}

/** One message for people. Filter out those without parts first: see `shownMessages`. */
export const MessageView = memo(function MessageView({ message, meta, callAside, isCallOpen }: MessageViewProps) {
  const [portions, setPortions] = useState(1);
  const shown = useMemo(() => firstParts(message.parts, portions * PORTION), [message.parts, portions]);
  return (
    <article
      className={classes('message', message.role)}
      aria-label={`${visibleString(message.name ?? message.role)}, message ${message.index + 1}`}
    >
      <div className="who">
        <b>
          <VisibleText text={message.name ?? message.role} isValue />
        </b>
        {meta && <span className="meta">{meta}</span>}
      </div>
      <div className="said">
        {shown.map((part, index) => (
          <Part
            key={index}
            part={part}
            raw={message.raw}
            aside={part.kind === 'call' ? callAside?.(part.call) : undefined}
            isOpen={part.kind === 'call' && (isCallOpen?.(part.call) ?? false)}
          />
        ))}
        {shown.length < message.parts.length && (
          <p>
            <Button icon="down" onPress={() => setPortions(portions + 1)}>
              Show more
            </Button>{' '}
            {formatCount(message.parts.length - shown.length)} more parts of this message.
          </p>
        )}
      </div>
    </article>
  );
});

function Part({ part, raw, aside, isOpen }: { part: MessagePart; raw: unknown; aside: ReactNode; isOpen: boolean }) {
  switch (part.kind) {
    case 'text':
      return part.isRefusal ? (
        <div className="refusal">
          <Markdown text={part.text} />
        </div>
      ) : (
        <Said text={part.text} />
      );
    case 'thinking':
      return <Thinking text={part.text} />;
    case 'call':
      return <ToolCallView call={part.call} aside={aside} isOpen={isOpen} />;
    case 'result':
      return <ToolResultView result={part.result} />;
    case 'pictures':
      return <Pictures pictures={part.pictures} />;
    case 'json':
      return (
        <div className="unknown mono">
          <PlainText text={jsonText(raw)} isValue />
        </div>
      );
  }
}

/** Markdown, except for logs and tracebacks, whose characters Markdown would misread. */
function Said({ text }: { text: string }) {
  const isPlain = useMemo(() => isLog(text), [text]);
  const [isFormatted, setFormatted] = useState(false);
  if (!isPlain) return <Markdown text={text} />;
  return (
    <div className="said-log">
      {isFormatted ? (
        <Markdown text={text} />
      ) : (
        <div className="mono" tabIndex={0} role="group" aria-label="Log">
          <PlainText text={text} />
        </div>
      )}
      <Button kind="quiet" onPress={() => setFormatted(!isFormatted)}>
        {isFormatted ? 'Show as text' : 'Show as Markdown'}
      </Button>
    </div>
  );
}

/** Characters of a message's parts that are drawn at once. */
const PORTION = 30_000;
/** The cost of a part besides its text. */
const CHARACTERS_PER_PART = 200;

/** The first parts up to this length; at least one. */
function firstParts(parts: readonly MessagePart[], most: number): readonly MessagePart[] {
  let sum = 0;
  const end = parts.findIndex((part) => {
    const isOver = sum >= most;
    sum += CHARACTERS_PER_PART + ('text' in part ? Math.min(part.text.length, SHOWN) : 0);
    return isOver;
  });
  return end < 0 ? parts : parts.slice(0, end);
}

/** Characters of a thought shown without opening it. */
const THOUGHT_IN_BRIEF = 120;

/** The model's thinking: its beginning, and all of it when opened. */
function Thinking({ text }: { text: string }) {
  const [open, setOpen] = useState(false);
  const body = useId();
  const line = text
    .slice(0, 4 * THOUGHT_IN_BRIEF)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return (
    <div className="thinking">
      <button type="button" aria-expanded={open} aria-controls={body} onClick={() => setOpen(!open)}>
        <Icon name={open ? 'down' : 'right'} />
        <span>Thinking</span>
        {!open && (
          <span className="brief">
            <VisibleText text={line.slice(0, THOUGHT_IN_BRIEF)} />
          </span>
        )}
      </button>
      <div id={body} hidden={!open}>
        {open && <Markdown text={text} />}
      </div>
    </div>
  );
}

function jsonText(raw: unknown): string {
  try {
    return stringifyExact(raw, 2);
  } catch {
    return 'JSON that is nested too deeply to show.';
  }
}
