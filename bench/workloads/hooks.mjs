import { ChatWorld, chatIdOf } from '../chats/chat-world.mjs';
import { Conversations } from '../chats/conversations.mjs';
import { HookAgents } from '../chats/hook-agents.mjs';

const CHATS = 5;
const DECISIONS = 100;

/** @type {import('./workload.mjs').Workload} */
export const hooks = {
  name: 'HK',
  title: 'hooks of coding agents that wait: from a decision, in a chat or through the API, to what the hook prints',
  targets: ['sqlite', 'postgres'],
  isRepeated: false,
  measure,
};

async function measure(session) {
  const world = new ChatWorld();
  await world.listen();
  try {
    await session.startServer([], world.env);
    const people = Array.from({ length: CHATS }, (_, chat) => String(chatIdOf(0, chat)));
    await world.connect(session.server, { bots: 1, chatsPerBot: CHATS }, { approvers: people });
    // Only people who have written in a chat may decide there.
    await new Conversations(world, { messages: CHATS, underWay: CHATS, firstUpdateId: 1, maxSeconds: 60 }).run();
    const rows = await measureAt(session, world, session.server, '');
    if (session.target.name !== 'postgres') return rows;
    const other = await session.startSibling(world.env);
    return [...rows, ...(await measureAt(session, world, other, ', the hook at another server'))];
  } finally {
    await world.close();
  }
}

async function measureAt(session, world, server, where) {
  const cli = session.serverArgs[0];
  const agents = new HookAgents(world, {
    cli,
    port: server.port,
    token: session.server.token,
    agent: world.agent.name,
    channel: world.channels[0],
  });
  await session.measureWork('warm-up', CHATS, () => agents.decide('Approve', 2 * CHATS));
  const count = session.scaled(DECISIONS, CHATS);
  const rows = [];
  for (const [label, how] of [
    ['allowed by a press', 'Approve'],
    ['denied by a press', 'Reject'],
    ['edited, through the API', 'edit'],
  ]) {
    rows.push(await session.measureWork(`${label}${where}`, 1, () => agents.decide(how, count)));
  }
  return rows;
}
