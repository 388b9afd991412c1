// The agent as a separate process, so that it can be killed: agent-process.mjs CONVERSATION.json THREAD. Tells its parent what it does.
import { readFileSync } from 'node:fs';
import { runAgent } from '../../examples/node-agent/agent.mjs';
import { Waystation } from '../../examples/node-agent/waystation.mjs';

const [file, threadId] = process.argv.slice(2);
const waystation = new Waystation({ url: process.env.WAYSTATION_API_URL, token: process.env.WAYSTATION_TOKEN });
const answer = await runAgent(
  waystation,
  JSON.parse(readFileSync(file, 'utf8')),
  { threadId },
  {
    onOpen: ({ agentId, traceId, isResumed, history }) =>
      process.send({ open: { agentId, traceId, isResumed, history } }),
    onSaving: (saving) => process.send({ saving }),
    onSaved: (saved) => process.send({ saved }),
  },
);
process.send({ answer });
process.disconnect();
