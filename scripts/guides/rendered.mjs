import { Marked } from 'marked';
import { escaped } from './page.mjs';

/**
 * A document as HTML.
 * @param {(href: string) => string} follow returns the address of a link's target
 * @returns {{ title: string, heading: string, sections: { id: string, heading: string }[], body: string }} `title` is plain text;
 *   `sections` are those of the second level
 */
export function rendered(markdown, follow) {
  const sections = [];
  const ids = new Map();
  let title = '';
  let top = '';

  const renderer = {
    heading({ tokens, depth, text }) {
      const heading = this.parser.parseInline(tokens);
      if (depth === 1) {
        [title, top] = [text.split(':', 1)[0], heading];
        return '';
      }
      const id = idOf(this.parser.parseInline(tokens, this.parser.textRenderer), ids);
      if (depth === 2) sections.push({ id, heading });
      return `<h${depth} id="${id}">${heading} <a class="anchor" href="#${id}" aria-label="Link to this section">#</a></h${depth}>\n`;
    },
    link({ href, tokens }) {
      return `<a href="${escaped(follow(href))}">${this.parser.parseInline(tokens)}</a>`;
    },
    image({ href, text }) {
      return `<img src="${escaped(follow(href))}" alt="${escaped(text)}" loading="lazy">`;
    },
    code({ text }) {
      return `<pre tabindex="0"><code>${escaped(text)}</code></pre>\n`;
    },
    html({ text }) {
      return escaped(text);
    },
  };

  const marked = new Marked({ renderer });
  // A wide table scrolls by itself; the page does not.
  const body = marked
    .parse(markdown)
    .replaceAll(/<table>[^]*?<\/table>/g, '<div class="scrolls" tabindex="0">$&</div>');
  return { title, heading: top, sections, body };
}

/** Ids as on GitHub, so that links to sections work in both places. */
function idOf(text, ids) {
  const id = text
    .replaceAll(/&[#\w]+;/g, '')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
  const earlier = ids.get(id) ?? 0;
  ids.set(id, earlier + 1);
  return earlier === 0 ? id : `${id}-${earlier}`;
}
