const WIDTH = 96;
const KIND_WIDTH = 12;
const AGENT_WIDTH = 14;

const isColoured = process.stdout.isTTY && !process.env.NO_COLOR;
const paint = (code) => (text) => (isColoured ? `\u001b[${code}m${text}\u001b[0m` : text);
const [bold, dim, red, green] = [paint(1), paint(2), paint(31), paint(32)];

let failures = 0;

export function failureCount() {
  return failures;
}

export function chapter(title, ...lines) {
  console.log(`\n${bold(title)}`);
  for (const line of lines) console.log(`  ${line}`);
  console.log('');
}

/** Prints whether something is as it should be, and remembers it for the exit code. */
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

/** A log entry of the API in one line. */
export function entryLine({ agent_id, kind, message }) {
  const line = message.replace(/\s+/g, ' ');
  const cut = line.length > WIDTH ? `${line.slice(0, WIDTH - 1)}…` : line;
  return `  ${dim(`${(agent_id ?? '').padEnd(AGENT_WIDTH)} ${kind.replace('_', ' ').padEnd(KIND_WIDTH)}`)} ${cut}`;
}
