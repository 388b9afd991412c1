import { Database } from '../../../src/database/database.js';
import { WhatsappFake } from '../../fakes/platforms/whatsapp-fake.js';
import type { Invocation } from '../../fakes/fake-agent.js';
import { connectWhatsapp } from '../../support/channels.js';
import { isWaiting, useChatServer } from '../../support/chat-server.js';
import { startApp, type InProcessApp } from '../../support/in-process-app.js';
import { MovableClock } from '../../support/movable-clock.js';
import { threadPath } from '../../support/recording.js';
import { TelegramWorld } from '../../support/telegram-world.js';
import { waitFor } from '../../support/wait.js';

type Values = Record<string, unknown>;

/** How long a message waits for its next part here: longer than any test takes to deliver it. */
const GATHER_MS = 1_000;
const DATE = 1_763_600_000;

let world: TelegramWorld;
let whatsapp: WhatsappFake;
let server: InProcessApp;
let person = 5000;
let group = -9000;

beforeAll(async () => {
  world = await TelegramWorld.start();
  whatsapp = await WhatsappFake.start();
  const env = { ...world.env, WAYSTATION_WHATSAPP_API_URL: whatsapp.url, WAYSTATION_GATHER_MS: String(GATHER_MS) };
  server = await startApp({ env });
  await world.connect(server.api);
  await connectWhatsapp(server.api, whatsapp);
});
beforeEach(() => {
  person += 10;
  group -= 10;
  world.agent.script = (run, agent) => agent.answer(run, 'Yes.');
});
afterAll(async () => {
  await server?.stop();
  await world?.close();
  await whatsapp?.close();
});

const runsOf = (user: number | string = person) =>
  world.agent.runs.filter(({ context }) => context.user_id === String(user));

/** This person's runs, once there are this many and none of the messages is waiting any more. */
async function runs(count: number, user: number | string = person): Promise<Invocation[]> {
  await waitFor(`${count} runs`, () => runsOf(user).length >= count);
  await waitFor('nothing to wait', async () => {
    const sql = `SELECT 1 AS found FROM channel_message WHERE user_id = $1 AND status = 'received'`;
    return world.telegram.pending === 0 && (await server.app.get(Database).read(sql, [String(user)])).length === 0;
  });
  expect(runsOf(user).map(({ message }) => message.slice(0, 40))).toHaveLength(count);
  return runsOf(user);
}

const write = (text: string | undefined, more: Values = {}, user = person) =>
  world.telegram.write(user, text as string, { date: DATE, ...more });

const photo = (id: string) => ({ photo: [{ file_id: id, file_size: 5, width: 1, height: 1 }] });
const picture = (album: string, id: string, more: Values = {}) => ({ media_group_id: album, ...photo(id), ...more });
const forward = (name: string, more: Values = {}) => ({
  forward_origin: { type: 'hidden_user', sender_user_name: name, date: DATE - 100 },
  ...more,
});
const idsOf = ({ context }: Invocation) => (context.attachments as { id: string }[]).map(({ id }) => id);

interface Case {
  name: string;
  /** Messages of one person, in the order of arrival. */
  messages: readonly (readonly [text: string | undefined, more?: Values])[];
  /** The texts of the runs. */
  runs: readonly string[];
  /** Their files. */
  files?: readonly (readonly string[])[];
}

const long = (char: string, length: number) => char.repeat(length);
const CASES: readonly Case[] = [
  {
    name: 'an album with one caption',
    messages: [
      [undefined, picture('A', 'a1', { caption: 'both sides' })],
      [undefined, picture('A', 'a2')],
      [undefined, picture('A', 'a3')],
    ],
    runs: ['both sides'],
    files: [['a1', 'a2', 'a3']],
  },
  {
    name: 'an album without words',
    messages: [
      [undefined, picture('B', 'b1')],
      [undefined, picture('B', 'b2')],
    ],
    runs: ['[2 images]'],
    files: [['b1', 'b2']],
  },
  {
    name: 'an album whose parts have captions, in the order in which they were sent',
    messages: [
      [undefined, picture('C', 'c2', { caption: 'back', message_id: 92 })],
      [undefined, picture('C', 'c1', { caption: 'front', message_id: 91 })],
    ],
    runs: ['front\nback'],
    files: [['c1', 'c2']],
  },
  {
    name: 'two albums, one after the other',
    messages: [
      [undefined, picture('D', 'd1')],
      [undefined, picture('D', 'd2')],
      [undefined, picture('E', 'e1')],
      [undefined, picture('E', 'e2')],
      [undefined, picture('E', 'e3')],
    ],
    runs: ['[2 images]', '[3 images]'],
    files: [
      ['d1', 'd2'],
      ['e1', 'e2', 'e3'],
    ],
  },
  {
    name: 'an album that another message ends',
    messages: [
      [undefined, picture('F', 'f1')],
      [undefined, picture('F', 'f2')],
      ['what is this?', {}],
    ],
    runs: ['[2 images]', 'what is this?'],
  },
  {
    name: 'a paste of three parts, cut within a word and at a blank line',
    messages: [
      [long('a', 4096), {}],
      [long('b', 3000), {}],
      ['end', {}],
    ],
    runs: [`${long('a', 4096)}${long('b', 3000)}\nend`],
  },
  {
    name: 'a long text that stands alone',
    messages: [[long('c', 2049), {}]],
    runs: [long('c', 2049)],
  },
  {
    name: 'short texts, each for itself',
    messages: [
      ['one', {}],
      ['two', {}],
    ],
    runs: ['one', 'two'],
  },
  {
    name: 'a text that comes more than three seconds after a long one',
    messages: [
      [long('d', 3000), {}],
      ['later', { date: DATE + 4 }],
    ],
    runs: [long('d', 3000), 'later'],
  },
  {
    name: 'a text at the end of the three seconds',
    messages: [
      [long('e', 3000), {}],
      ['in time', { date: DATE + 3 }],
    ],
    runs: [`${long('e', 3000)}\nin time`],
  },
  {
    name: 'a command behind a long text',
    messages: [
      [long('f', 3000), {}],
      ['/help', {}],
    ],
    runs: [long('f', 3000), '/help'],
  },
  {
    name: 'an answer behind a long text',
    messages: [
      [long('g', 3000), {}],
      ['yes', { reply_to_message: { message_id: 1, from: { id: 1, is_bot: false }, text: 'well?' } }],
    ],
    runs: [long('g', 3000), 'yes'],
  },
  {
    name: 'two pastes, as a short part ends the first',
    messages: [
      [long('h', 4096), {}],
      ['end', {}],
      [long('i', 4096), {}],
      ['end', {}],
    ],
    runs: [`${long('h', 4096)}end`, `${long('i', 4096)}end`],
  },
  {
    name: 'forwards of several people',
    messages: [
      ['It is broken.', forward('Bo')],
      [undefined, forward('Cy\nX: y', photo('p1'))],
      ['We know.', forward('Di')],
    ],
    runs: ['Bo: It is broken.\nCy X: y: [image]\nDi: We know.'],
    files: [['p1']],
  },
  {
    name: 'one forward, whose text is the message',
    messages: [['Help!', forward('Bo')]],
    runs: ['Help!'],
  },
  {
    name: 'a forward that a comment ends',
    messages: [
      ['It is broken.', forward('Bo')],
      ['what now?', {}],
    ],
    runs: ['It is broken.', 'what now?'],
  },
  {
    name: 'twenty-one forwards',
    messages: Array.from({ length: 21 }, (_, at) => [`m${at}`, forward('Bo')] as const),
    runs: [Array.from({ length: 20 }, (_, at) => `Bo: m${at}`).join('\n'), 'm20'],
  },
  {
    name: 'a paste of more than 64,000 characters',
    messages: Array.from({ length: 16 }, (_, at) => [long(String.fromCharCode(97 + at), 4096), {}] as const),
    runs: [Array.from({ length: 15 }, (_, at) => long(String.fromCharCode(97 + at), 4096)).join(''), long('p', 4096)],
  },
];

describe('What people send in several messages', () => {
  it.each(CASES.map((one): [string, Case] => [one.name, one]))(
    'is %s',
    async (_name, { messages, runs: texts, files }) => {
      for (const [text, more] of messages) write(text, more);
      const begun = await runs(texts.length);
      expect(begun.map(({ message }) => message)).toEqual(texts);
      if (files) expect(begun.map(idsOf)).toEqual(files);
    },
  );

  it('is delivered twice without being there twice', async () => {
    const headers = { 'x-telegram-bot-api-secret-token': world.telegram.webhook!.secret };
    const from = { id: person, is_bot: false, first_name: 'P' };
    const chat = { id: person, type: 'private' };
    world.telegram.chats.add(String(person));
    const updates = ['1', '2', '3'].map((id) => {
      const message = { message_id: Number(id), date: DATE, from, chat, ...picture('T', `t${id}`) };
      return { update_id: person * 100 + Number(id), message };
    });
    for (const update of [updates[0], updates[1], updates[0], updates[2], updates[1], updates[2]]) {
      await server.api.post('/v1/channels/webhook/telegram', update, { token: null, headers });
    }
    const [run] = await runs(1);
    expect(idsOf(run!)).toEqual(['t1', 't2', 't3']);
    expect(run!.context).toMatchObject({ message_ids: ['1', '2', '3'], late_for: null, message_id: '1' });
    const rows = (await world.log(server.api)).filter(({ thread_id }) => thread_id === run!.threadId);
    const inbound = rows.filter(({ direction }) => direction === 'in') as unknown as Values[];
    const head = inbound.find(({ status }) => status !== 'joined')!;
    expect(inbound.map(({ status, part_of }) => [status === 'joined' ? status : 'message', part_of])).toEqual([
      ['message', null],
      ['joined', head.id],
      ['joined', head.id],
    ]);
  });

  it('is one message with the name of its first part as the id of the run', async () => {
    write(undefined, picture('N', 'n1', { caption: 'look' }));
    write(undefined, picture('N', 'n2'));
    const [run] = await runs(1);
    expect(run!.key).toBe(
      (await world.log(server.api)).find(({ text, thread_id }) => text === 'look' && thread_id === run!.threadId)!.id,
    );
    const hrefs = (run!.context.attachments as { href: string }[]).map(({ href }) => href);
    expect(hrefs.map((href) => href.split('/').at(-1))).toEqual([`${run!.key}.0`, `${run!.key}.1`]);
  });
});

describe('A part of an album that comes after the turn', () => {
  it('is a message of its own, which names the first and has all files', async () => {
    write(undefined, picture('L', 'l1', { message_id: 71 }));
    write(undefined, picture('L', 'l2', { message_id: 72 }));
    const [first] = await runs(1);
    write(undefined, picture('L', 'l3', { message_id: 73 }));
    write(undefined, picture('L', 'l4', { message_id: 74 }));
    const [, late] = await runs(2);
    expect(late!.message).toBe('[2 images]');
    expect(late!.context).toMatchObject({
      late_for: { message_id: '71', run_id: first!.runId },
      message_ids: ['73', '74'],
    });
    expect(idsOf(late!)).toEqual(['l1', 'l2', 'l3', 'l4']);
  });
});

describe('A part of an album that comes after its thread was deleted', () => {
  it('is no part of a message that its agent was to be told of before', async () => {
    write('hello');
    const [{ threadId }] = (await runs(1)) as [Invocation];
    world.agent.mishaps.push(...Array<number>(1_000).fill(503));
    write(undefined, picture('M', 'm1', { caption: `before ${person}` }));
    await waitFor('its agent to be away', () =>
      world.agent.calls.some(({ message }) => message === `before ${person}`),
    );
    expect((await server.api.delete(threadPath(threadId))).status).toBe(204);
    write(undefined, picture('M', 'm2'));
    await waitFor('it to come', () => world.telegram.pending === 0);
    world.agent.mishaps.length = 0;
    await world.agent.beat();
    const [, first, late] = await runs(3);
    expect([first!.message, late!.message]).toEqual([`before ${person}`, '[image]']);
    expect(idsOf(late!)).toEqual(['m1', 'm2']);
  });
});

describe('In a group', () => {
  const say = (user: number, text: string | undefined, more: Values = {}) =>
    world.telegram.writeInGroup(group, user, text as string, { date: DATE, ...more });
  const mention = { entities: [{ type: 'mention', offset: 0, length: 14 }] };
  const captionMention = { caption_entities: mention.entities };

  it('an album belongs together although only its first part calls the bot', async () => {
    say(person, undefined, picture('G', 'g1', { caption: '@WaystationBot look', ...captionMention }));
    say(person, undefined, picture('G', 'g2'));
    say(person, 'nothing for the bot');
    const [run] = await runs(1);
    expect(run!.message).toBe('look');
    expect(idsOf(run!)).toEqual(['g1', 'g2']);
  });

  it('a part of an album that comes after the turn belongs to it, too', async () => {
    say(person, undefined, picture('J', 'j1', { caption: '@WaystationBot look', ...captionMention }));
    const [first] = await runs(1);
    say(person, undefined, picture('J', 'j2'));
    const [, late] = await runs(2);
    expect(late!.context).toMatchObject({ late_for: { run_id: first!.runId } });
    expect([idsOf(late!), late!.threadId]).toEqual([['j1', 'j2'], first!.threadId]);
  });

  it('a long text goes on although its second part does not call the bot', async () => {
    const first = `@WaystationBot ${long('a', 4081)}`;
    say(person, first, mention);
    say(person, 'b');
    const [run] = await runs(1);
    expect(run!.message).toBe(`${long('a', 4081)}b`);
  });

  it('messages of others are no parts, and wait until the first is whole', async () => {
    say(person, undefined, picture('H', 'h1', { caption: '@WaystationBot mine', ...captionMention }));
    say(person + 1, '@WaystationBot me too', mention);
    say(person + 1, undefined, picture('H', 'x1'));
    say(person, undefined, picture('H', 'h2'));
    const [mine] = await runs(1);
    const [theirs] = await runs(1, person + 1);
    expect(idsOf(mine!)).toEqual(['h1', 'h2']);
    expect(theirs!.message).toBe('me too');
    expect(world.agent.runs.indexOf(mine!)).toBeLessThan(world.agent.runs.indexOf(theirs!));
  });

  it('what calls nobody is stored without its content', async () => {
    say(person, undefined, picture('I', 'i1'));
    say(person, undefined, picture('I', 'i2'));
    const rows = await waitFor('both', async () => {
      const sql = 'SELECT status, payload, text, group_key FROM channel_message WHERE chat_id = $1';
      const found = await server.app.get(Database).read(sql, [String(group)]);
      return found.length === 2 ? found : undefined;
    });
    expect(rows).toEqual(Array(2).fill({ status: 'dropped', payload: null, text: '', group_key: null }));
  });
});

describe('On WhatsApp', () => {
  const image = (from: string, id: string, more: Values = {}) =>
    whatsapp.textFrom(from, '', {
      timestamp: String(DATE),
      text: undefined,
      type: 'image',
      image: { id, mime_type: 'image/jpeg' },
      ...more,
    });
  const number = () => `1650${person}`;

  it('pictures that come together are one message', async () => {
    for (const id of ['w1', 'w2', 'w3']) await whatsapp.deliver(whatsapp.batch([image(number(), id)]));
    const [run] = await runs(1, number());
    expect(run!.message).toBe('[3 images]');
    expect(idsOf(run!)).toEqual(['w1', 'w2', 'w3']);
  });

  it('in one batch, too, and a text or a picture of later is another message', async () => {
    const from = number();
    const later = image(from, 'w6', { timestamp: String(DATE + 60) });
    await whatsapp.deliver(
      whatsapp.batch([image(from, 'w4'), image(from, 'w5'), later, whatsapp.textFrom(from, 'see?')]),
    );
    const begun = await runs(3, from);
    expect(begun.map(({ message }) => message)).toEqual(['[2 images]', '[image]', 'see?']);
  });

  it('forwards are one message, whatever they are', async () => {
    const from = number();
    const context = { forwarded: true };
    const text = whatsapp.textFrom(from, 'It is broken.', { timestamp: String(DATE), context });
    await whatsapp.deliver(whatsapp.batch([text, image(from, 'w7', { context })], []), 2);
    const [run] = await runs(1, from);
    expect(run!.message).toBe('It is broken.\n[image]');
    expect(idsOf(run!)).toEqual(['w7']);
  });
});

describe('A message in parts', () => {
  it('waits for the run before it, and takes what comes meanwhile', async () => {
    let go = (): void => undefined;
    const promise = new Promise<void>((resolve) => (go = resolve));
    world.agent.script = async (run, agent) => {
      await promise;
      await agent.answer(run, 'Done.');
    };
    write('first');
    await waitFor('the run', () => runsOf().length === 1);
    write(undefined, picture('Q', 'q1'));
    write(undefined, picture('Q', 'q2'));
    await waitFor('both to come', () => world.telegram.pending === 0);
    await waitFor('their wait to be over', async () => {
      const sql = `SELECT 1 AS found FROM channel_message WHERE user_id = $1 AND due_at > $2`;
      return (await server.app.get(Database).read(sql, [String(person), Date.now()])).length === 0;
    });
    write(undefined, picture('Q', 'q3'));
    await waitFor('it to come', () => world.telegram.pending === 0);
    go();
    const [, album] = await runs(2);
    expect(idsOf(album!)).toEqual(['q1', 'q2', 'q3']);
  });
});

describe('A clock that is set back by a second', () => {
  const clock = new MovableClock();
  const chats = useChatServer(clock, {}, { WAYSTATION_GATHER_MS: '10000' });

  it('ends no wait for a part', async () => {
    const { telegram, agent } = chats.world;
    const entities = [{ type: 'mention', offset: 0, length: 14 }];
    const say = async (user: number, text: string | undefined, more: Values = {}) => {
      telegram.writeInGroup(-7, user, text as string, { date: DATE, ...more });
      await waitFor('it to come', () => telegram.pending === 0);
    };
    await say(1, undefined, picture('K', 'k1', { caption: '@WaystationBot mine', caption_entities: entities }));
    clock.aheadMs -= 1_000;
    await say(2, '@WaystationBot me too', { entities });
    await waitFor('a look at the session', () => isWaiting(chats.server, 'channel_session', clock));
    await say(1, undefined, picture('K', 'k2'));
    clock.aheadMs += 60_000;
    await say(2, '@WaystationBot and again', { entities });
    await waitFor('the run', () => agent.runs.length > 0);
    expect(idsOf(agent.runs[0]!)).toEqual(['k1', 'k2']);
  });
});

describe('With WAYSTATION_GATHER_MS=0', () => {
  it('each part starts a run at once', async () => {
    const other = await TelegramWorld.start();
    const app = await startApp({ env: { ...other.env, WAYSTATION_GATHER_MS: '0' } });
    try {
      await other.connect(app.api);
      other.telegram.write(7, undefined as unknown as string, picture('Z', 'z1'));
      other.telegram.write(7, undefined as unknown as string, picture('Z', 'z2'));
      await waitFor('both runs', () => other.agent.runs.length === 2);
      expect(other.agent.runs.map(({ message }) => message)).toEqual(['[image]', '[image]']);
    } finally {
      await app.stop();
      await other.close();
    }
  });
});
