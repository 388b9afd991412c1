import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { cpuMsOf } from './cpu-time.js';

const SOURCE = path.resolve(import.meta.dirname, '../../src');
/** Longest possible request head. */
const LENGTH = 16 * 1024;
/** Patterns that retry every position take 100 ms and more, good ones a few milliseconds. */
const LIMIT_MS = 60;
const PUMPED = [
  'a',
  'Z',
  '0',
  '/',
  ' ',
  '\t',
  '\r',
  '\n',
  '-',
  '.',
  '"',
  '\\',
  '%',
  '$',
  '{',
  '${',
  '=',
  '_',
  ':',
  '1.',
  'é',
  '\\u005',
];
const ENDS = ['', '\u0000', '!', '\n', 'x'];

interface Pattern {
  place: string;
  regex: RegExp;
}

/** Every regular expression in the program. */
function patternsIn(folder: string): Pattern[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts'))
    .flatMap((name) => {
      const source = ts.createSourceFile(name, readFileSync(path.join(folder, name), 'utf8'), ts.ScriptTarget.ES2023);
      const found: Pattern[] = [];
      const visit = (node: ts.Node): void => {
        if (ts.isRegularExpressionLiteral(node))
          found.push({ place: `${name} ${node.text}`, regex: regexOf(node.text) });
        ts.forEachChild(node, visit);
      };
      visit(source);
      return found;
    });
}

function regexOf(literal: string): RegExp {
  const end = literal.lastIndexOf('/');
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}

/** The text that every match begins with, so that an attack gets past it. */
function beginningOf({ source }: RegExp): string {
  return (/^\^?((?:[A-Za-z0-9=_ ]|\\\/|\\\$)+)/.exec(source)?.[1] ?? '').replaceAll('\\', '');
}

/** Texts that make a pattern with two ways through them try both repeatedly. */
function trapsFor(regex: RegExp): string[] {
  const beginnings = [...new Set(['', beginningOf(regex)])];
  const middles = PUMPED.map((pump) => pump.repeat(Math.ceil(LENGTH / pump.length)));
  return beginnings.flatMap((begin) => middles.flatMap((middle) => ENDS.map((end) => begin + middle + end)));
}

/** Milliseconds of the slowest attempt. If it was slow because the machine was busy, a repetition is fast. */
function slowest(regex: RegExp): number {
  const times = trapsFor(regex).map((text) => {
    const first = timeOf(regex, text);
    return first < LIMIT_MS ? first : Math.min(first, timeOf(regex, text), timeOf(regex, text));
  });
  return Math.max(...times);
}

function timeOf(regex: RegExp, text: string): number {
  return cpuMsOf(() => {
    regex.lastIndex = 0;
    if (regex.global) text.replaceAll(regex, '');
    else regex.exec(text);
  });
}

describe('The patterns of the program', () => {
  const patterns = patternsIn(SOURCE);

  it('are found', () => {
    expect(patterns.length).toBeGreaterThan(50);
  });

  it.each(patterns.map(({ place, regex }) => [place, regex]))('take no long text as a trap: %s', (_, regex) => {
    expect(slowest(regex)).toBeLessThan(LIMIT_MS);
  });

  it('would be found out if they did', () => {
    const short = PUMPED[0]!.repeat(24);
    expect(cpuMsOf(() => void new RegExp('^(a+)+$').exec(`${short}!`))).toBeGreaterThan(50);
  });
});
