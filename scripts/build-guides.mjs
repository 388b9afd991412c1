// Builds the pages at /docs/guides/: every guide, and every project file that a guide links to, as HTML in dist/guides.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import { escaped, guidePage } from './guides/page.mjs';
import { rendered } from './guides/rendered.mjs';

const URL_OF_PAGES = '/docs/guides/';
const THIS_SERVER = 'http://127.0.0.1:8000';
const GUIDES = 'docs/guides';
const PICTURE = /\.(png|svg)$/;

const root = path.dirname(import.meta.dirname);
const target = path.join(root, 'dist', 'guides');

/**
 * @returns the guides, for other pages that link to them
 * @throws {Error} for a link to a file that is not in the project
 */
export async function buildGuides() {
  const documents = readLinked(['README.md', ...namesIn(GUIDES)].filter(isDocument));
  const { links } = documents.get('README.md');
  // In the order of the README.
  const placeOf = ({ file }) => links.indexOf(file) + 1 || links.length + 1;
  const guides = [...documents.values()]
    .filter(({ file }) => path.dirname(file) === GUIDES)
    .sort((left, right) => placeOf(left) - placeOf(right));
  for (const document of documents.values()) write(nameOf(document.file), guidePage(document, guides));
  const others = new Set([...documents.values()].flatMap((document) => document.links));
  for (const file of others) {
    if (PICTURE.test(file)) write(nameOf(file), readFileSync(path.join(root, file)));
    else if (!isDocument(file)) write(nameOf(file), guidePage(sourcePage(file), guides));
  }
  // Also as text, for programs.
  for (const { file } of guides) write(path.basename(file), readFileSync(path.join(root, file)));
  await build({
    absWorkingDir: root,
    entryPoints: { guides: 'scripts/guides/guides.css', theme: 'console/src/theme.ts' },
    outdir: path.join(target, 'assets'),
    bundle: true,
    minify: true,
    logLevel: 'warning',
  });
  return guides;
}

/** These documents and all documents they link to, by file. */
function readLinked(first) {
  const documents = new Map();
  const read = (file) => {
    if (documents.has(file)) return;
    const links = [];
    const follow = (href) => {
      const link = linkOf(file, href);
      if (link.file !== null) links.push(link.file);
      return link.url;
    };
    const text = readFileSync(path.join(root, file), 'utf8');
    documents.set(file, { file, url: urlOf(file), ...rendered(text, follow), links });
    links.filter(isDocument).forEach(read);
  };
  first.forEach(read);
  return documents;
}

/** The target of a document's link: its address, and the project file; null for external links. */
function linkOf(from, href) {
  if (href.startsWith(THIS_SERVER)) return { file: null, url: href.slice(THIS_SERVER.length) || '/' };
  if (/^[a-z]+:/.test(href)) return { file: null, url: href };
  const [name, anchor] = href.split('#');
  const file = name === '' ? from : path.posix.join(path.posix.dirname(from), name).replace(/\/$/, '');
  if (!existsSync(path.join(root, file))) throw new Error(`${from} links to ${href}, which is not there.`);
  return { file, url: urlOf(file) + (anchor === undefined ? '' : `#${anchor}`) };
}

/** Guides have no extension in their address; the names of other files may contain dots. */
function urlOf(file) {
  const name = nameOf(file).replace(/(^|\/)index\.html$/, '$1');
  return URL_OF_PAGES + (isDocument(file) ? name.replace(/\.html$/, '') : name);
}

/** The name of the page or image in dist/guides. */
function nameOf(file) {
  if (PICTURE.test(file)) return `images/${path.posix.relative(GUIDES, file).replaceAll('/', '-')}`;
  if (!isDocument(file)) return `files/${file.replace(/(^|\/)\./, '$1')}.html`;
  const name = file.replace(/^docs\/(guides\/)?/, '').replace(/md$/, 'html');
  return name.replace(/(^|\/)README\.html$/, '$1index.html');
}

/** A program, a settings file, or a folder of these. */
function sourcePage(file) {
  const files = statSync(path.join(root, file)).isDirectory() ? namesIn(file) : [file];
  const parts = files.map((name) => {
    const heading = files.length > 1 ? `<h2>${escaped(path.basename(name))}</h2>` : '';
    return `${heading}<pre tabindex="0"><code>${escaped(readFileSync(path.join(root, name), 'utf8'))}</code></pre>`;
  });
  return {
    file,
    url: urlOf(file),
    title: file,
    heading: `<code>${escaped(file)}</code>`,
    sections: [],
    body: parts.join('\n'),
  };
}

function namesIn(folder) {
  return readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}`);
}

function isDocument(file) {
  return file.endsWith('.md');
}

function write(name, content) {
  const file = path.join(target, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
}
