import { listsOf, latestPath, threadPath } from './api.mjs';
import { LiveLog } from './live-log.mjs';
import { ObservedAgent } from './observed-agent.mjs';
import { chapter, check } from './pages.mjs';

/** A run from its beginning to its end. */
export async function straightRun(server, api, threadId) {
  chapter(
    '1. A run from its beginning to its end',
    'A customer wants to send a jacket back. The agent reports a checkpoint after each step.',
    'What follows is the live stream of its thread.',
  );
  const agent = new ObservedAgent(server, 'jacket-return.json', threadId);
  await agent.until(({ opened }) => opened.length > 0);
  const live = await LiveLog.follow(api, threadPath(threadId, '/stream'));
  await agent.end();
  check(await live.until(isCompleted), 'the stream told that the run is completed');
  await live.close();
  await checkRun(api, threadId, agent);
}

async function checkRun(api, threadId, agent) {
  const latest = await api.get(latestPath(threadId));
  check(latest.json().status === 'completed', 'latest: status completed');
  check(
    latest.text.includes(listsOf(agent.saved.at(-1))),
    'latest: the conversation is what the agent sent, byte for byte',
  );
  const all = await api.get(threadPath(threadId, '/checkpoints'));
  const isExact = agent.saved.every((checkpoint) => all.text.includes(listsOf(checkpoint)));
  check(
    isExact && all.json().items.length === agent.saved.length,
    `checkpoints: all ${agent.saved.length} read back exactly`,
  );
}

function isCompleted({ type, data }) {
  return type === 'status' && data.status === 'completed';
}
