import { styleText } from 'node:util';

// Imported late: at the start of the demonstration it may not be built yet.
const { EntryFormatter } = await import('../../dist/cli/entry-formatter.js');

const isColoured = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code) => (text) => (isColoured ? `\u001b[${code}m${text}\u001b[0m` : text);
const [bold, red, green] = [1, 31, 32].map(paint);
const INDENT = '  ';

let failures = 0;

export function failureCount() {
  return failures;
}

export function chapter(title, ...lines) {
  console.log(`\n${bold(title)}`);
  for (const line of lines) console.log(`  ${line}`);
  console.log('');
}

/** Prints whether the expectation holds, and remembers it for the exit code. */
export function check(isSo, text) {
  if (!isSo) failures += 1;
  console.log(`  ${isSo ? green('✓') : red('✗')} ${text}`);
}

export function say(text) {
  console.log(`  ${text}`);
}

export function shout(text) {
  console.log(`  ${red(text)}`);
}

/** Prints log entries of the API in the format of `waystation show`. */
export function entryPrinter() {
  const width = process.stdout.columns && process.stdout.columns - INDENT.length;
  const lines = new EntryFormatter({ width, style: (format, text) => (isColoured ? styleText(format, text) : text) });
  return (entry) => {
    for (const line of lines.of(entry)) console.log((INDENT + line).trimEnd());
  };
}
