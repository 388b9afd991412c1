// `npm run demo:chat`: chat with an example agent in this terminal, through a fake Telegram, a real server and a real agent process.
// Type messages; /approve and /reject press the button below the last question; /quit ends. --script (or --exit) plays a chat by itself
// and exits with 0 only if everything went as expected.
import { setTimeout as pause } from 'node:timers/promises';
import { clearScreenDown, createInterface, cursorTo } from 'node:readline';
import { openChannel } from './demo-chat/channel.mjs';
import { startAgent } from './demo-chat/agent.mjs';
import { startTelegram } from './demo-chat/fake-telegram.mjs';
import { Api } from './demo/api.mjs';
import { chapter, check, failureCount, say, shout } from './demo/pages.mjs';
import { openServer } from './demo/server.mjs';

const USER = 4711;
const LIMIT_MS = 30_000;
const isScripted = process.argv.includes('--script') || process.argv.includes('--exit') || !process.stdin.isTTY;

/** The bot's messages as they were shown. */
const shown = new Map();
const telegram = await startTelegram();
const closers = [() => telegram.close()];
try {
  process.env.WAYSTATION_TELEGRAM_API_URL = telegram.url;
  delete process.env.WAYSTATION_API_URL; // only our own server knows the fake
  const server = await openServer();
  closers.unshift(() => server.stop());
  const agent = await startAgent(server);
  closers.unshift(() => agent.stop());
  await chat(new Api(server.url, server.token));
} catch (error) {
  shout(error.message);
  process.exitCode = 1;
}
for (const close of closers) await close();
process.exit(process.exitCode ?? (failureCount() > 0 ? 1 : 0));

async function chat(api) {
  const { code } = await openChannel(api, telegram, { agentName: 'refund', userId: USER });
  chapter('A bot on a Telegram of our own', `you send it the code ${code}, so it knows you, and you may approve`);
  say(`The page, signed in: ${await api.signedInLink()}`);
  await reply((text) => text.includes('verified'));
  if (isScripted) await playScript();
  else await converse();
}

async function playScript() {
  write('My parcel never came.');
  const question = await reply((_text, { buttons }) => buttons.length === 2);
  check(question.text.includes('refund'), 'the agent asks before it pays');
  press('Approve');
  check((await reply((text) => text.includes('19.99 back'))) !== null, 'approved: the answer came back to the chat');
  check(question.text.includes('Approved'), 'the question says what became of it');
  write('It was broken, too.');
  await reply((_text, message) => message !== question && message.buttons.length === 2);
  press('Reject');
  check((await reply((text) => text.includes('cannot pay this back'))) !== null, 'rejected: so did that answer');
}

async function converse() {
  say('Write to the bot. /approve and /reject press the button of its last question, /quit ends.');
  const lines = createInterface({ input: process.stdin, output: process.stdout, prompt: 'you> ' });
  const timer = setInterval(() => showAbove(lines), 100);
  lines.prompt();
  for await (const line of lines) {
    const text = line.trim();
    if (text === '/quit') break;
    if (text === '/approve' || text === '/reject') press(text === '/approve' ? 'Approve' : 'Reject');
    else if (text !== '') write(text);
    lines.prompt();
  }
  clearInterval(timer);
}

/** Prints above the line being typed, which is restored. */
function showAbove(lines) {
  if (newsOfBot().length === 0) return;
  cursorTo(process.stdout, 0);
  clearScreenDown(process.stdout);
  show();
  lines.prompt(true);
}

function show() {
  for (const { messageId, text, buttons } of newsOfBot()) {
    const before = shown.get(messageId) ?? '';
    const isMore = before !== '' && text.startsWith(before);
    console.log(`\nbot> ${plain(isMore ? text.slice(before.length) : text).replaceAll('\n', '\n     ')}`);
    if (buttons.length > 0) console.log(`     ${buttons.map(({ text: label }) => `[${label}]`).join(' ')}`);
    shown.set(messageId, text);
  }
}

/** New and changed messages. */
function newsOfBot() {
  return telegram.messages.filter(({ messageId, text }) => shown.get(messageId) !== text);
}

/** Telegram's HTML as a person sees it. */
function plain(html) {
  const text = html.replace(/<[^>]+>/g, '').trim();
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

function write(text) {
  if (isScripted) console.log(`\nyou> ${text}`);
  telegram.write(USER, text);
}

function press(label) {
  const question = telegram.messages.findLast(({ buttons }) => buttons.length > 0);
  if (!question) return say('There is no question with buttons.');
  if (isScripted) console.log(`\nyou> [${label}]`);
  telegram.press(USER, question.messageId, label);
}

/** Shows messages until one matches. */
async function reply(isIt) {
  for (const until = Date.now() + LIMIT_MS; Date.now() < until; await pause(50)) {
    show();
    const found = telegram.messages.find((message) => isIt(message.text, message));
    if (found) return found;
  }
  throw new Error('The bot has not answered.');
}
