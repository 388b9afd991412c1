import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../..');
const PAGES = ['ARCHITECTURE.md', 'CONTRIBUTING.md', 'docs/tables.md', 'docs/where-to-add-things.md'];
const NOT_OURS = new Set(['node_modules', '.git', '.tmp', 'coverage']);
/** Folders that a build makes, and what an example of the page would make. */
const NOT_THERE_YET = /^(build|dist)(\/|$)|^src\/modules\/notes\//;

function filesBelow(folder: string): string[] {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const name = path.posix.join(folder, entry.name);
    if (NOT_OURS.has(entry.name) || NOT_THERE_YET.test(name)) return [];
    return entry.isDirectory() ? filesBelow(name) : [name];
  });
}

const FILES = filesBelow('');
const TOP = new Set(FILES.map((file) => file.split('/')[0]));

/** Paths in a page's inline code, links and drawings; in drawings the steps below a path are files, too. */
function mentionsIn(page: string): string[] {
  const text = readFileSync(path.join(ROOT, page), 'utf8');
  const drawings = [...text.matchAll(/^```text\n(.*?)^```/gms)].flatMap(([, drawing]) => drawing!.split('\n'));
  const prose = text.replace(/^```.*?^```/gms, '');
  return [
    ...[...prose.matchAll(/`([^`\s]+)`/g)].map(([, word]) => word!).filter(isPath),
    ...[...prose.matchAll(/\]\(([^)#:]+)\)/g)].map(([, link]) => link!),
    ...drawings.flatMap((line) => line.match(/(?<=^ {2}\| )[\w-]+[\w.-]*|(?<=^| {2})[\w-]+\/[\w./-]*/g) ?? []),
  ];
}

function isPath(word: string): boolean {
  if (/^[/@]|[*<>():{}$]|^\.{2,}|^[A-Z]+$/.test(word)) return false;
  return word.includes('/') || /.\.(ts|js|mjs|md|json)$/.test(word);
}

/** `…/` stands for `src/modules/`. A path that does not begin at the root may be anywhere; files need no ending. */
function isThere(mention: string): boolean {
  const wanted = mention.replace(/^…\//, 'src/modules/');
  if (NOT_THERE_YET.test(wanted)) return true;
  const start = TOP.has(wanted.split('/')[0]) ? '^' : '(^|/)';
  const end = wanted.endsWith('/') ? '' : '(/|$|\\.\\w+$|\\.(controller|service|repository)\\.ts$)';
  const pattern = new RegExp(start + wanted.replaceAll('.', '\\.') + end);
  return FILES.some((file) => pattern.test(file));
}

describe.each(PAGES)('%s', (page) => {
  it('names only files and folders that are there', () => {
    expect(mentionsIn(page).filter((mention) => !isThere(mention))).toEqual([]);
  });

  it('names only npm scripts that are there', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const text = readFileSync(path.join(ROOT, page), 'utf8');
    const named = [...text.matchAll(/npm (?:run )?(?:--\S+ )*(start|test|(?<=run )[a-z][\w:]*)/g)].map(
      ([, name]) => name!,
    );
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

/** Most words, counted as `wc -w` does. */
const LENGTHS: readonly (readonly [page: string, words: number])[] = [
  ['README.md', 1400],
  ['ARCHITECTURE.md', 1400],
  ['CHANGELOG.md', 900],
  ['bench/README.md', 900],
  ['docs/performance.md', 900],
  ...FILES.filter((file) => /^docs\/adr\/\d/.test(file)).map((file) => [file, 500] as const),
];

it.each(LENGTHS)('%s has at most %i words', (page, words) => {
  expect(readFileSync(path.join(ROOT, page), 'utf8').match(/\S+/g)!.length).toBeLessThanOrEqual(words);
});

it('ARCHITECTURE.md lists who takes part in the transactions of the journal', () => {
  const sources = FILES.filter((file) => /^src\/.*(?<!\.spec)\.ts$/.test(file));
  const participants = sources.flatMap((file) => {
    const text = readFileSync(path.join(ROOT, file), 'utf8');
    const [, name] = /^export class (\w+)\s+implements (?:\w+, )*JournalParticipant\b/m.exec(text) ?? [];
    const takesPart = /participants\.add\(this\)/.test(text);
    if (name === undefined && !takesPart) return [];
    return [takesPart ? (name ?? `a class without the interface in ${file}`) : `${name}, which is never added`];
  });
  const [, section] = /^### Participants of the journal\n(.*?)^#/ms.exec(
    readFileSync(path.join(ROOT, 'ARCHITECTURE.md'), 'utf8'),
  )!;
  expect([...section!.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name).sort()).toEqual(participants.sort());
});

/** What `npm run arch` lets a feature use, by the pattern of its rule. */
interface ArrowRule {
  name: string;
  to: { pathNot?: string | string[] };
}

it('ARCHITECTURE.md draws the arrows between features that `npm run arch` enforces', async () => {
  const file: string = path.join(ROOT, '.dependency-cruiser.js');
  const { default: config } = (await import(file)) as { default: { forbidden: ArrowRule[] } };
  const enforced = config.forbidden.flatMap(({ name, to }) => {
    const [, feature] = /^(?!.*-of-)([\w-]+)-uses-only-what-is-below$/.exec(name) ?? [];
    const [, allowed] = /^\^src\/modules\/\(([\w|-]+)\)\/$/.exec(String(to.pathNot)) ?? [];
    return feature && allowed ? [[feature, allowed.split('|').filter((other) => other !== feature)] as const] : [];
  });
  const text = readFileSync(path.join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  const drawn = [...text.matchAll(/^([a-z-]+) +-> ([a-z, -]+)$/gm)]
    .filter(([, feature]) => feature !== 'entries')
    .map(([, feature, others]) => [feature!, others === 'none' ? [] : others!.split(', ')] as const);
  expect(Object.fromEntries(drawn)).toEqual(Object.fromEntries(enforced));
});
