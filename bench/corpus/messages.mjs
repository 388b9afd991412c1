import { FOREIGN, TOOLS, WORDS } from './vocabulary.mjs';

/** Target sizes in bytes; texts vary around them by about a fifth. */
const ASSISTANT_BYTES = 1500;
const OTHER_BYTES = 1000;

/** Beyond 2^53: a server that parses and prints numbers would round it. */
const BIG_INTEGER = '9007199254740993';

/**
 * The exact JSON text of message `index` of a conversation: a system message, then alternately assistant messages with a tool
 * call (about 1.5 KB) and tool or user messages (about 1 KB).
 * @param {import('./random.mjs').Random} random @param {number} index @returns {string}
 */
export function messageText(random, index) {
  if (index === 0) return JSON.stringify({ role: 'system', content: prose(random, sized(random, OTHER_BYTES)) });
  const text = index % 2 === 1 ? assistantText(random) : index % 4 === 0 ? userText(random) : toolText(random);
  return index % 8 === 3 ? asciiOnly(text) : text;
}

/**
 * The exact JSON text of its history_meta entry.
 * @param {import('./random.mjs').Random} random @param {number} index @returns {string}
 */
export function metaText(random, index) {
  const ts = new Date(Date.UTC(2026, 10, 2) + index * 2300 + random.below(900)).toISOString();
  if (index % 2 === 0) return JSON.stringify({ ts });
  return JSON.stringify({ ts, tokens_in: 900 + random.below(60_000), tokens_out: 80 + random.below(600) });
}

function assistantText(random) {
  const call = {
    id: `call_${random.hex(24)}`,
    type: 'function',
    function: { name: random.pick(TOOLS), arguments: JSON.stringify(record(random, 3)) },
  };
  return JSON.stringify({
    role: 'assistant',
    content: prose(random, sized(random, ASSISTANT_BYTES) - 230),
    tool_calls: [call],
  });
}

function userText(random) {
  return JSON.stringify({ role: 'user', content: prose(random, sized(random, OTHER_BYTES)) });
}

function toolText(random) {
  const rows = Array.from({ length: 5 }, () => record(random, 4));
  const content = JSON.stringify({ ok: true, rows, note: prose(random, 160) }, null, 1);
  const text = JSON.stringify({ role: 'tool', tool_call_id: `call_${random.hex(24)}`, content });
  return `${text.slice(0, -1)},"sequence":${BIG_INTEGER}${random.below(10)},"took_ms":${random.below(900)}.0}`;
}

function record(random, fields) {
  const entries = Array.from({ length: fields }, () => [
    `${random.pick(WORDS)}_${random.pick(WORDS)}`,
    random.below(3) === 0 ? random.below(1_000_000) / 100 : `${random.pick(WORDS)} ${random.hex(8)}`,
  ]);
  return Object.fromEntries(entries);
}

function prose(random, bytes) {
  let text = '';
  while (text.length < bytes) {
    const chance = random.below(40);
    if (chance === 0) text += `"${random.pick(WORDS)} ${random.pick(WORDS)}" `;
    else if (chance === 1) text += '\n\n';
    else if (chance === 2) text += `${random.pick(FOREIGN)} `;
    else if (chance === 3) text += `#${random.below(1_000_000)}, `;
    else text += `${commonWord(random)} `;
  }
  return text.trimEnd();
}

/** A few words are frequent and most are rare, as in any text. */
function commonWord(random) {
  return WORDS[Math.floor(WORDS.length * random.next() ** 3)];
}

function sized(random, bytes) {
  return Math.round(bytes * (0.8 + random.next() * 0.4)) - 40;
}

/** Escaped like Python's json.dumps by default; the escapes must come back unchanged. */
function asciiOnly(text) {
  return text.replace(/[^\x00-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
