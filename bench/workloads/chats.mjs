import { ChatWorld } from '../chats/chat-world.mjs';
import { Conversations } from '../chats/conversations.mjs';

const SIZE = { bots: 50, chatsPerBot: 20 };
const FEW_UNDER_WAY = 10;
const MAX_SECONDS = 120;

/** @type {import('./workload.mjs').Workload} */
export const chats = {
  name: 'CH',
  title:
    '1,000 chats of 50 Telegram bots: updates acknowledged while all behind hangs, and messages from update to answer',
  targets: ['sqlite', 'postgres'],
  isRepeated: false,
  measure,
};

async function measure(session) {
  const world = new ChatWorld();
  await world.listen();
  try {
    await session.startServer([], world.env);
    await world.connect(session.server, SIZE);
    return [...(await measureEndToEnd(session, world)), await measureAcknowledgements(session, world)];
  } finally {
    await world.close(); // before the server, which would wait for responses that never come
  }
}

async function measureEndToEnd(session, world) {
  let firstUpdateId = 1;
  const converse = (messages, underWay) => {
    const plan = { messages, underWay, firstUpdateId, maxSeconds: MAX_SECONDS };
    firstUpdateId += messages;
    return () => new Conversations(world, plan).run();
  };
  const all = world.chats.length;
  await session.measureWork('warm-up', all, converse(all, all));
  const many = session.scaled(5000, all);
  const few = session.scaled(1000, 100);
  return [
    await session.measureWork(`end to end, ${all} under way`, all, converse(many, all)),
    await session.measureWork(`end to end, ${FEW_UNDER_WAY} under way`, FEW_UNDER_WAY, converse(few, FEW_UNDER_WAY)),
  ];
}

async function measureAcknowledgements(session, world) {
  world.telegram.isHanging = true;
  world.agent.isHanging = true;
  const updates = { chats: world.chats, updates: session.scaled(20_000, 1000), firstUpdateId: 1_000_000 };
  const warmUp = { ...updates, updates: session.scaled(2000, 500), firstUpdateId: 500_000 };
  await session.load('deliver-updates', warmUp);
  return session.measure('acknowledgements', 'deliver-updates', updates);
}
