import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { latestPath } from './api.mjs';
import { runCommand } from './command.mjs';
import { FakeBank } from './fake-bank.mjs';
import { chapter, check, say, shout } from './pages.mjs';

const PROGRAM = path.join(import.meta.dirname, 'cashier-process.mjs');
const KEY = 'refund:order-4711';
const IN_DOUBT = 3;

/** A refund whose agent is killed after the bank paid and before it responded. */
export async function doubtedRefund(server, api, threadId) {
  chapter(
    '4. Killed in the midst of a refund, and the money moves once',
    'An agent claims its tool call, then asks the bank for 19.99. The bank pays, but its answer is late.',
  );
  const bank = await FakeBank.open();
  try {
    await killedWhilePaying(server, bank, threadId);
    await refusedToPayAgain(server, bank, threadId);
    await settledByPerson(server, bank, threadId);
    await finished(server, api, bank, threadId);
  } finally {
    bank.close();
  }
}

async function killedWhilePaying(server, bank, threadId) {
  const agent = cashier(server, bank, threadId);
  const ended = once(agent, 'exit');
  await Promise.race([
    bank.booked,
    ended.then(([code]) => {
      throw new Error(`The agent ended with ${code} before it paid.`);
    }),
  ]);
  agent.kill('SIGKILL');
  await ended;
  shout('kill -9: the process is gone. It never learned that the bank has paid.');
}

async function refusedToPayAgain(server, bank, threadId) {
  say('The same program is started again. Its history ends in a call without a result.');
  const [code] = await once(cashier(server, bank, threadId), 'exit');
  check(code === IN_DOUBT && bank.transfers.length === 1, 'it did not call the bank again: the call is in doubt');
  console.log('');
  say('npx waystation effects');
  for (const line of (await runCommand(server, ['effects', '--thread', threadId])).split('\n')) say(line);
  console.log('');
}

async function settledByPerson(server, bank, threadId) {
  say('A person looks at the statement of the bank, and says what became of it:');
  const [{ transfer }] = bank.transfers;
  const result = JSON.stringify({ transfer });
  const reason = 'the statement shows it';
  say(`npx waystation settle ${threadId} ${KEY} completed --result '${result}' --reason "${reason}"`);
  await runCommand(server, ['settle', threadId, KEY, 'completed', '--result', result, '--reason', reason]);
}

async function finished(server, api, bank, threadId) {
  const [code] = await once(cashier(server, bank, threadId), 'exit');
  const latest = (await api.get(latestPath(threadId))).json();
  check(code === 0 && latest.status === 'completed', 'started once more, the agent went on with that result');
  check(
    latest.history.at(-1)?.content === 'You get 19.99 back, transfer T-1.',
    `latest: "${latest.history.at(-1)?.content}"`,
  );
  check(bank.transfers.length === 1, 'the bank paid once');
}

function cashier(server, bank, threadId) {
  const env = { ...process.env, WAYSTATION_API_URL: server.url, WAYSTATION_TOKEN: server.token };
  const agent = fork(PROGRAM, [threadId, bank.url], { env });
  process.on('exit', () => agent.kill('SIGKILL'));
  return agent;
}
