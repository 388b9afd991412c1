import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Story } from './story.mjs';

const FOLDER = path.resolve(import.meta.dirname, '../../../../shared/data');
/** Conversations: more would take longer than people like to wait. */
const AIRLINE = 60;
const HOUR_MS = 3_600_000;
/** Tools of the airline that change a booking. */
const WRITES = /^(book|cancel|update|send)_/;
const MODEL_DOWN = {
  type: 'APIConnectionError',
  message: 'Connection to the model was reset by the peer (attempt 4 of 4).',
};

/** Stories of recorded conversations, where a folder with some lies beside the project; else none. */
export function realStories(nowMs, random) {
  const airline = conversationsOf('airline-runs.jsonl')
    .slice(-AIRLINE)
    .map((one, at) => airlineStory(one, at, nowMs, random));
  const coding = conversationsOf('coding-runs.jsonl').map((one, at) => codingStory(one, at, nowMs, random));
  return [...airline, ...coding];
}

function conversationsOf(file) {
  const found = process.env.WAYSTATION_DEMO_DATA ?? FOLDER;
  const name = path.join(found, file);
  return existsSync(name)
    ? readFileSync(name, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    : [];
}

function airlineStory({ id, messages }, at, nowMs, random) {
  const story = new Story(id, nowMs - 24 * HOUR_MS + at * random.between(0.36, 0.39) * HOUR_MS);
  const run = story.run({ agent: 'airline-desk', model: 'gpt-4o', budget: 0.75 }).start();
  const isRunning = at === 57 || at === 59;
  const crashAt = at % 23 === 7 ? 4 : null;
  const writes = { isAsked: at % 3 === 0, isWaiting: at === 56 || at === 58 };
  const last = isRunning ? Math.floor(messages.length * 0.6) : messages.length;
  if (crashAt !== null) {
    play(run, messages.slice(0, 2 * crashAt), random, {});
    run.crash(random.between(2, 40), 1);
    play(run, messages.slice(1, last), random, writes);
  } else if (play(run, messages.slice(0, last), random, writes) === 'waits') {
    return story.endAt(nowMs - random.between(60, 1500) * 1000);
  }
  if (isRunning) return story.endAt(nowMs - random.between(1, 20) * 1000);
  if (at % 17 === 5) run.fail(MODEL_DOWN);
  else run.complete();
  return story;
}

function codingStory({ id, messages }, at, nowMs, random) {
  const hoursAgo = [20, 9, 3.4, 0.3][at] ?? 12;
  const story = new Story(
    ['fix-syntax-error', 'solve-humaneval', 'fix-time-delta', 'fix-time-delta-again'][at] ?? id,
    nowMs - hoursAgo * HOUR_MS,
  );
  const run = story.run({ agent: 'coder', model: 'large-2', budget: 0.4 }).start();
  play(run, messages, random, {});
  run.complete();
  return story;
}

/** Reports a conversation; answers `waits` where it stops at a call that nobody has decided on yet. */
function play(run, messages, random, { isAsked = false, isWaiting = false }) {
  for (const [at, message] of messages.entries()) {
    if (message.role !== 'assistant') {
      run.wait(message.role === 'user' ? random.between(8, 60) : random.between(0.2, 2)).add(message);
      if (message.role === 'tool') run.save();
      continue;
    }
    const isWrite = message.tool_calls?.some((call) => WRITES.test(call.function?.name ?? ''));
    if (!isWrite || !(isAsked || isWaiting)) {
      run.say(message, random.between(1, 6));
      continue;
    }
    run.askAs(message, { seconds: random.between(2, 5) });
    if (isWaiting) return 'waits';
    const result = messages[at + 1]?.content;
    run.wait(random.between(20, 400)).decide('approve', { decided_by: random.of(['Kim', 'Ada', 'Noor']) });
    if (result === undefined) return 'ends';
  }
  return 'ends';
}
