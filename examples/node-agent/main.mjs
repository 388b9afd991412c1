// node examples/node-agent/main.mjs THREAD [CONVERSATION.json]
// Stop it with Ctrl-C, or kill it, and start it again with the same thread: it resumes where it stopped.
import { existsSync, readFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runAgent } from './agent.mjs';
import { Waystation } from './waystation.mjs';

const [threadId, file = path.join(import.meta.dirname, '../conversations/slow-checkout.json')] = process.argv.slice(2);
if (threadId === undefined) {
  console.error('usage: node examples/node-agent/main.mjs THREAD [CONVERSATION.json]');
  process.exit(2);
}

const home = process.env.WAYSTATION_HOME || path.join(os.homedir(), '.waystation');
const waystation = new Waystation({
  url: process.env.WAYSTATION_API_URL || runningServer() || 'http://127.0.0.1:8000',
  token: process.env.WAYSTATION_TOKEN || localSecret(),
});
const answer = await runAgent(
  waystation,
  JSON.parse(readFileSync(file, 'utf8')),
  { threadId },
  {
    onOpen: ({ agentId, isResumed, history }) =>
      console.log(isResumed ? `${agentId} goes on with ${history.length} messages` : `${agentId} begins`),
    onSaved: ({ agent_id, step_index, history }) =>
      console.log(`${agent_id} saved step ${step_index}, ${history.length} messages`),
  },
);
console.log(`\n${answer}`);

/** The address of the server on this machine, from its home directory. */
function runningServer() {
  try {
    const { url, pid } = JSON.parse(readFileSync(path.join(home, 'run', 'server.json'), 'utf8'));
    process.kill(pid, 0); // only checks that the process exists
    return url;
  } catch {
    return undefined;
  }
}

/** This user's machine secret; give a real agent its own token instead. */
function localSecret() {
  const file = path.join(home, '.api-secret');
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  console.error(`There is no ${file}: start the server first (npm start), or set WAYSTATION_TOKEN.`);
  return process.exit(2);
}
