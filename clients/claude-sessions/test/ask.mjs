// Makes the SDK ask about calls: `node ask.mjs SESSION CALLS`. Prints what Claude Code would be told about each, one per line.
import { query } from '@anthropic-ai/claude-agent-sdk';
import { canUseTool } from '@waystation/claude-sessions';

const [sessionId, calls] = process.argv.slice(2);
const timeoutSeconds = Number(process.env.WAYSTATION_TEST_TIMEOUT_SECONDS ?? 3_600);

/** The SDK only asks in sessions whose input stays open. */
async function* prompt() {
  yield { type: 'user', message: { role: 'user', content: 'Go on.' }, parent_tool_use_id: null, session_id: sessionId };
  await ended;
}

let end;
const ended = new Promise((resolve) => (end = resolve));
const options = {
  canUseTool: canUseTool(sessionId, { cwd: '/home/ada/shop', timeoutSeconds }),
  pathToClaudeCodeExecutable: new URL('scripted-claude.mjs', import.meta.url).pathname,
  env: { ...process.env, SCRIPTED_CALLS: calls, SCRIPTED_SESSION: sessionId },
};
for await (const message of query({ prompt: prompt(), options })) {
  if (message.type !== 'result') continue;
  for (const told of JSON.parse(message.result)) console.log(JSON.stringify(told));
  end();
}
