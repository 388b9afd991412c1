import { Lexer, type Token, type Tokens } from 'marked';
import { Fragment, memo, useMemo, type ReactNode } from 'react';
import { decodeEntities, linkOf } from '../lib/markdown-links.js';
import { markdownChunks } from '../lib/markdown-chunks.js';
import { isLight } from '../lib/markdown-weight.js';
import { visibleString } from '../lib/visible-text.js';
import { CopyButton } from './copy-button.js';
import { Plain, Rest, SHOWN } from './plain-text.js';
import { VisibleText } from './visible-text.js';
import './markdown.css';

/** Levels of quotes, lists and emphasis; deeper ones are shown as written. */
const MAX_LEVELS = 24;

/**
 * Untrusted Markdown as elements: HTML appears as text, pictures as their address, links with their target. Long texts are truncated, and
 * shown whole as plain text on request.
 */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const chunks = useMemo(() => markdownChunks(text.slice(0, SHOWN)), [text]);
  return (
    <div className="markdown" dir="auto">
      {chunks.map((chunk, index) =>
        chunk.isTame ? <Chunk key={index} text={chunk.text} /> : <Plain key={index} text={chunk.text} />,
      )}
      <Rest text={text} />
    </div>
  );
});

function Chunk({ text }: { text: string }) {
  const tokens = useMemo(() => tokensOf(text), [text]);
  return tokens ? <Blocks tokens={tokens} level={0} /> : <Plain text={text} />;
}

/** Null if the parser fails, or if the browser would take seconds to draw the result. */
function tokensOf(text: string): Token[] | null {
  try {
    const tokens = new Lexer({ gfm: true, breaks: true }).lex(text);
    return isLight(text, tokens) ? tokens : null;
  } catch {
    return null;
  }
}

function Blocks({ tokens, level }: { tokens: readonly Token[]; level: number }): ReactNode {
  if (level > MAX_LEVELS) return <Plain text={tokens.map(({ raw }) => raw).join('')} />;
  return tokens.map((token, index) => <Fragment key={index}>{block(token as MarkedToken, level)}</Fragment>);
}

type MarkedToken =
  | Tokens.Blockquote
  | Tokens.Br
  | Tokens.Checkbox
  | Tokens.Code
  | Tokens.Codespan
  | Tokens.Def
  | Tokens.Del
  | Tokens.Em
  | Tokens.Escape
  | Tokens.HTML
  | Tokens.Heading
  | Tokens.Hr
  | Tokens.Image
  | Tokens.Link
  | Tokens.List
  | Tokens.Paragraph
  | Tokens.Space
  | Tokens.Strong
  | Tokens.Table
  | Tokens.Text;

function block(token: MarkedToken, level: number): ReactNode {
  switch (token.type) {
    case 'space':
      return null;
    case 'hr':
      return <hr />;
    case 'heading':
      // Not a real heading: an agent's text must not become part of the page's outline.
      return (
        <p className={`heading h${token.depth}`}>
          <Inline tokens={token.tokens} level={level} />
        </p>
      );
    case 'code':
      return <CodeBlock text={token.text} language={token.lang} />;
    case 'blockquote':
      return (
        <blockquote>
          <Blocks tokens={token.tokens} level={level + 1} />
        </blockquote>
      );
    case 'list':
      return <List list={token} level={level} />;
    case 'table':
      return <Table table={token} level={level} />;
    case 'paragraph':
      return (
        <p>
          <Inline tokens={token.tokens} level={level} />
        </p>
      );
    case 'html':
    case 'def':
      return <Plain text={token.raw.trimEnd()} />;
    default:
      return <Inline tokens={[token]} level={level} />;
  }
}

function List({ list, level }: { list: Tokens.List; level: number }) {
  const items = list.items.map((item, index) => (
    <li key={index} className={item.task ? 'task' : undefined}>
      <Blocks tokens={item.tokens} level={level + 1} />
    </li>
  ));
  return list.ordered ? <ol start={Number(list.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

function Table({ table, level }: { table: Tokens.Table; level: number }) {
  const cell = ({ align, tokens }: Tokens.TableCell) => ({
    className: align === null ? undefined : `to-${align}`,
    children: <Inline tokens={tokens} level={level} />,
  });
  return (
    <div className="scrolls" role="group" aria-label="Table" tabIndex={0}>
      <table>
        <thead>
          <tr>
            {table.header.map((head, index) => (
              <th key={index} {...cell(head)} />
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map((data, column) => (
                <td key={column} {...cell(data)} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A block of code with a copy button. */
export function CodeBlock({ text, language }: { text: string; language?: string }) {
  return (
    <div className="code-block">
      <div className="bar">
        <span>{language && <VisibleText text={language.slice(0, 40)} isValue />}</span>
        <CopyButton text={text} label="Copy the code" />
      </div>
      <pre tabIndex={0} dir="ltr">
        <VisibleText text={text} />
      </pre>
    </div>
  );
}

function Inline({ tokens, level }: { tokens: readonly Token[]; level: number }): ReactNode {
  if (level > MAX_LEVELS) return <VisibleText text={tokens.map(({ raw }) => raw).join('')} />;
  return tokens.map((token, index) => <Fragment key={index}>{inline(token as MarkedToken, level + 1)}</Fragment>);
}

function inline(token: MarkedToken, level: number): ReactNode {
  switch (token.type) {
    case 'strong':
      return (
        <strong>
          <Inline tokens={token.tokens} level={level} />
        </strong>
      );
    case 'em':
      return (
        <em>
          <Inline tokens={token.tokens} level={level} />
        </em>
      );
    case 'del':
      return (
        <del>
          <Inline tokens={token.tokens} level={level} />
        </del>
      );
    case 'codespan':
      return (
        <code>
          <VisibleText text={token.text} />
        </code>
      );
    case 'br':
      return <br />;
    case 'checkbox':
      return (
        <span
          className="checkbox"
          role="img"
          aria-label={token.checked ? 'done' : 'to do'}
          data-checked={token.checked}
        />
      );
    case 'link':
      return <Target link={token} level={level} />;
    case 'image':
      return <Picture name={token.text} address={token.href} />;
    case 'escape':
      return <VisibleText text={token.text} />;
    case 'text':
      return token.type === 'text' && token.tokens ? (
        <Inline tokens={token.tokens} level={level} />
      ) : (
        <VisibleText text={decodeEntities(token.text)} />
      );
    default:
      return <VisibleText text={token.raw} />;
  }
}

/** A link, with its target beside it unless its text already says it; an unsafe link is plain text. */
function Target({ link, level }: { link: Tokens.Link; level: number }) {
  const { href, target } = linkOf(link.href, link.text);
  const text = <Inline tokens={link.tokens} level={level} />;
  return (
    <>
      {href === null ? (
        text
      ) : (
        <a href={href} target="_blank" rel="noopener noreferrer" title={href}>
          {text}
        </a>
      )}
      {target !== null && (
        <>
          {' '}
          <span className="target" title={visibleString(target)}>
            ⟨<VisibleText text={target.slice(0, 200)} isValue />⟩
          </span>
        </>
      )}
    </>
  );
}

/** A picture is never loaded: its address would learn that somebody reads this. */
function Picture({ name, address }: { name: string; address: string }) {
  return (
    <span className="picture">
      picture{name && ' '}
      <VisibleText text={decodeEntities(name)} /> ⟨<VisibleText text={address.slice(0, 200)} isValue />⟩
    </span>
  );
}
