import { memo, useId, useState, type ReactNode } from 'react';
import { stringifyExact } from '../api/exact-json.js';
import type { Message, MessagePart, ToolCall } from '../lib/messages.js';
import { classes } from './classes.js';
import { Icon } from './icon.js';
import { Markdown } from './markdown.js';
import { Pictures } from './pictures.js';
import { PlainText } from './plain-text.js';
import { ToolCallView, ToolResultView } from './tool-call.js';
import { VisibleText } from './visible-text.js';
import './message.css';

interface MessageViewProps {
  message: Message;
  /** Below the name of who speaks, e.g. time and tokens. */
  meta?: ReactNode;
  /** At the end of the line of a call, e.g. how long it took. */
  callAside?: (call: ToolCall) => ReactNode;
  /** Calls that are open at first. */
  isCallOpen?: (call: ToolCall) => boolean;
}

/** One message as people read it. Put those without parts aside first: see `shownMessages`. */
export const MessageView = memo(function MessageView({ message, meta, callAside, isCallOpen }: MessageViewProps) {
  return (
    <article
      className={classes('message', message.role)}
      aria-label={`${message.name ?? message.role}, message ${message.index + 1}`}
    >
      <div className="who">
        <b>
          <VisibleText text={message.name ?? message.role} isValue />
        </b>
        {meta && <span className="meta">{meta}</span>}
      </div>
      <div className="said">
        {message.parts.map((part, index) => (
          <Part
            key={index}
            part={part}
            raw={message.raw}
            aside={part.kind === 'call' ? callAside?.(part.call) : undefined}
            isOpen={part.kind === 'call' && (isCallOpen?.(part.call) ?? false)}
          />
        ))}
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
        <Markdown text={part.text} />
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

/** Characters of a thought that are read without opening it. */
const THOUGHT_IN_BRIEF = 120;

/** What a model thought: its beginning, all of it when opened. */
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
