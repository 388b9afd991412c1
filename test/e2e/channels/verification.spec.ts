import {
  channelOf,
  CHANNELS,
  createChannel,
  messagesOf,
  otherCode,
  setUpWebhook,
  telegramOrder,
  verify,
  type CreatedChannel,
} from '../../support/channels.js';
import { TelegramFake } from '../../fakes/platforms/telegram-fake.js';
import { problemOf } from '../../support/problem.js';
import { ok } from '../../support/recording.js';
import { useServer } from '../../support/test-server.js';
import { waitFor } from '../../support/wait.js';

const telegram = await TelegramFake.start();
const server = useServer({ env: { WAYSTATION_TELEGRAM_API_URL: telegram.url } });
afterAll(() => telegram.close());

function newChannel(): Promise<CreatedChannel> {
  return createChannel(server.api, telegramOrder());
}

describe('A channel is verified by an operator', () => {
  it('with its code, once', async () => {
    const { id, verification_code } = await newChannel();
    expect(ok(await verify(server.api, id, verification_code)).json()).toMatchObject({
      ...{ id, verified: true, status: 'verified' },
    });
    expect((await channelOf(server.api, id)).verified).toBe(true);
    expect(problemOf(await verify(server.api, id, verification_code), 400).code).toBe('wrong_code');
  });

  it('not with the code of another channel', async () => {
    const [one, other] = [await newChannel(), await newChannel()];
    if (one.verification_code === other.verification_code) return;
    problemOf(await verify(server.api, one.id, other.verification_code), 400);
    expect((await channelOf(server.api, one.id)).verified).toBe(false);
  });

  it('not any more after five wrong tries, until there is a new code', async () => {
    const { id, verification_code } = await newChannel();
    for (let i = 0; i < 5; i++) problemOf(await verify(server.api, id, otherCode(verification_code)), 400);
    expect(problemOf(await verify(server.api, id, verification_code), 429).code).toBe('code_locked');
    problemOf(await verify(server.api, id, verification_code), 429);
    const answer = await server.api.post(`${CHANNELS}/${id}/verification-code`);
    expect(answer.status).toBe(201);
    const renewed = answer.json<{ verification_code: string; verification_expires_at: string }>();
    expect(Date.parse(renewed.verification_expires_at)).toBeGreaterThan(Date.now() + 14 * 60_000);
    ok(await verify(server.api, id, renewed.verification_code));
  });

  it('only with the newest code', async () => {
    const { id, verification_code } = await newChannel();
    const answer = await server.api.post(`${CHANNELS}/${id}/verification-code`);
    const renewed = answer.json<{ verification_code: string }>().verification_code;
    if (renewed !== verification_code) problemOf(await verify(server.api, id, verification_code), 400);
    ok(await verify(server.api, id, renewed));
  });

  it('exactly once of racing verifications', async () => {
    const { id, verification_code } = await newChannel();
    const answers = await Promise.all(Array.from({ length: 5 }, () => verify(server.api, id, verification_code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400, 400]);
  });

  it('never by racing guesses: five of them count, the others are locked out', async () => {
    const { id, verification_code } = await newChannel();
    const wrong = otherCode(verification_code);
    const answers = await Promise.all(Array.from({ length: 20 }, () => verify(server.api, id, wrong)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([...Array<number>(5).fill(400), ...Array<number>(15).fill(429)]);
  });

  it.each([null, 123456, '12345', '1234567', '12345a', ' 123456', '１２３４５６', '', ['123456'], {}])(
    'with a string of six digits and not with %j',
    async (code) => {
      const { id } = await newChannel();
      expect(problemOf(await verify(server.api, id, code), 400).errors?.[0]?.path).toBe('code');
      expect(problemOf(await server.api.post(`${CHANNELS}/${id}/verify`), 400).errors?.[0]?.path).toBe('code');
    },
  );
});

describe('A channel is verified in the chat', () => {
  let channel: CreatedChannel;

  beforeAll(async () => {
    channel = await createChannel(server.api, telegramOrder({ config: { bot_token: telegram.token } }));
    ok(await setUpWebhook(server.api, channel.id, server.api.baseUrl));
  });

  const delivered = () => waitFor('all updates to be delivered', () => telegram.pending === 0);
  const log = async () => {
    await delivered();
    return messagesOf(server.api, channel.id, { direction: 'in' });
  };

  it('not by other messages, and not by wrong codes, which count as tries', async () => {
    for (const text of ['hello', '12345', `code ${channel.verification_code}`, ` ${channel.verification_code} !`]) {
      telegram.write(7, text);
    }
    for (let i = 0; i < 2; i++) telegram.write(7, otherCode(channel.verification_code));
    expect((await log()).map(({ status, reason }) => `${status}: ${reason}`)).toEqual(
      Array<string>(6).fill('dropped: the channel is not verified'),
    );
    expect((await channelOf(server.api, channel.id)).verified).toBe(false);
  });

  it('by exactly the code, which is not shown in the log; the person is told', async () => {
    telegram.write(7, channel.verification_code);
    const last = (await log()).at(-1);
    expect(last).toMatchObject({ status: 'done', text: '', reason: 'verification code', user_id: '7' });
    expect((await channelOf(server.api, channel.id)).verified).toBe(true);
    const [told] = await messagesOf(server.api, channel.id, { direction: 'out' });
    expect(told).toMatchObject({ kind: 'text', chat_id: '7', text: expect.stringContaining('verified') });
    problemOf(await verify(server.api, channel.id, channel.verification_code), 400);
  });

  async function renewed(): Promise<string> {
    const answer = await server.api.post(`${CHANNELS}/${channel.id}/verification-code`);
    return answer.json<{ verification_code: string }>().verification_code;
  }

  it('also again; five wrong tries of somebody count no more, and six digits are an ordinary message all the time', async () => {
    const code = await renewed();
    for (let i = 0; i < 5; i++) telegram.write(8, otherCode(code));
    telegram.write(8, code);
    const rows = (await log()).slice(-6);
    expect(rows.map(({ text, reason }) => [text, reason])).toEqual([
      ...Array<unknown>(5).fill([otherCode(code), 'no agent is bound']),
      [code, 'no agent is bound'],
    ]);
    ok(await verify(server.api, channel.id, code));
  });

  it('though a stranger wrote wrong ones; nor does the stranger lock out operators, or they those in the chat', async () => {
    const first = await renewed();
    for (let i = 0; i < 6; i++) telegram.write(9, otherCode(first));
    await delivered();
    ok(await verify(server.api, channel.id, first));
    const second = await renewed();
    for (let i = 0; i < 6; i++) telegram.write(9, otherCode(second));
    for (let i = 0; i < 5; i++) problemOf(await verify(server.api, channel.id, otherCode(second)), 400);
    problemOf(await verify(server.api, channel.id, second), 429);
    await delivered();
    telegram.write(10, second);
    expect((await log()).at(-1)).toMatchObject({ status: 'done', reason: 'verification code', user_id: '10' });
  });

  it('after a hundred wrong tries of others by people who have not guessed, and by operators', async () => {
    const guess = (code: string) => {
      for (let person = 100; person < 120; person++) {
        for (let i = 0; i < 5; i++) telegram.write(person, otherCode(code));
      }
    };
    const first = await renewed();
    telegram.write(9, otherCode(first));
    guess(first);
    await delivered();
    telegram.write(9, first);
    expect((await log()).at(-1)).toMatchObject({ text: first, reason: 'no agent is bound' });
    telegram.write(10, first);
    expect((await log()).at(-1)).toMatchObject({ status: 'done', reason: 'verification code', user_id: '10' });
    const second = await renewed();
    guess(second);
    await delivered();
    ok(await verify(server.api, channel.id, second));
    telegram.write(9, await renewed());
    expect((await log()).at(-1)).toMatchObject({ status: 'done', reason: 'verification code', user_id: '9' });
  });
});
