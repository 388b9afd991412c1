import { createHmac } from 'node:crypto';
import { LoopbackServer } from '../../../bench/chats/loopback-server.mjs';
import { messageUpdate } from '../../../bench/chats/message-update.mjs';

/**
 * The parts of the three platforms that channels call, for any number of accounts under one address.
 * @typedef {object} Account
 * @property {object} order      the request that creates its channel
 * @property {(chat: number, text: string, id: number) => {path: string, body: string | Buffer, headers: Record<string, string>}} deliver
 */
export class ManyPlatforms {
  /** @type {(chat: string, text: string) => void} receives what an account sends */
  onMessage = () => {};
  /** Tokens of accounts whose messages are taken and never acknowledged. */
  hanging = new Set();
  #secrets = new Map();
  #nextId = 1;
  #server = new LoopbackServer((path, body, { headers }) => this.#answer(path, body, headers.authorization));

  async listen() {
    this.url = await this.#server.listen();
  }

  close() {
    return this.#server.close();
  }

  get env() {
    return {
      WAYSTATION_TELEGRAM_API_URL: this.url,
      WAYSTATION_SLACK_API_URL: `${this.url}/slack`,
      WAYSTATION_WHATSAPP_API_URL: `${this.url}/whatsapp`,
    };
  }

  /** @param {number} n @returns {Account} platforms in turn */
  account(n) {
    return [this.#telegram, this.#slack, this.#whatsapp][n % 3].call(this, n);
  }

  #telegram(n) {
    const token = `${700_000_000 + n}:token_of_bot_${n}`;
    const deliver = (chat, text, id) => ({
      path: '/v1/channels/webhook/telegram',
      body: messageUpdate(id, chat, text),
      headers: { 'x-telegram-bot-api-secret-token': this.#secrets.get(token) },
    });
    return {
      token,
      needsWebhook: true,
      deliver,
      order: { channel_type: 'telegram', name: `Bot ${n}`, config: { bot_token: token } },
    };
  }

  #slack(n) {
    const [token, secret] = [`xoxb-${n}`, `signing-secret-${n}`];
    const deliver = (chat, text, id) => {
      const seconds = Math.floor(Date.now() / 1000);
      const ts = `${seconds}.${String(id).padStart(6, '0')}`;
      const place = { channel: `D${chat}`, channel_type: 'im', team: `T${n}` };
      const event = { type: 'message', user: `U${chat}`, text, ts, event_ts: ts, ...place };
      const authorizations = [{ enterprise_id: null, team_id: `T${n}`, user_id: `UB${n}`, is_bot: true }];
      const callback = {
        team_id: `T${n}`,
        type: 'event_callback',
        event_id: `Ev${id}`,
        event_time: seconds,
        authorizations,
        event,
      };
      const body = JSON.stringify(callback);
      const signature = createHmac('sha256', secret).update(`v0:${seconds}:${body}`).digest('hex');
      const headers = { 'x-slack-request-timestamp': String(seconds), 'x-slack-signature': `v0=${signature}` };
      return { path: '/v1/channels/webhook/slack', body, headers };
    };
    const config = { bot_token: token, signing_secret: secret };
    return { token, deliver, order: { channel_type: 'slack', name: `Workspace ${n}`, config } };
  }

  #whatsapp(n) {
    const [token, secret, number] = [`EAAG-${n}`, `app-secret-${n}`, String(100_000 + n)];
    const deliver = (chat, text, id) => {
      const message = {
        from: String(chat),
        id: `wamid.${id}`,
        timestamp: String(Math.floor(Date.now() / 1000)),
        type: 'text',
        text: { body: text },
      };
      const contacts = [{ profile: { name: `Person ${chat}` }, wa_id: String(chat) }];
      const metadata = { display_phone_number: number, phone_number_id: number };
      const value = { messaging_product: 'whatsapp', metadata, contacts, messages: [message] };
      const body = JSON.stringify({
        object: 'whatsapp_business_account',
        entry: [{ id: '1', changes: [{ value, field: 'messages' }] }],
      });
      const signature = createHmac('sha256', secret).update(body).digest('hex');
      return { path: '/v1/channels/webhook/whatsapp', body, headers: { 'x-hub-signature-256': `sha256=${signature}` } };
    };
    const config = { phone_number_id: number, access_token: token, app_secret: secret, verify_token: `v${n}` };
    return { token, deliver, order: { channel_type: 'whatsapp', name: `Number ${n}`, config } };
  }

  #answer(path, body, authorization = '') {
    const bearer = authorization.replace('Bearer ', '');
    if (path.startsWith('/slack/')) return this.#answerSlack(path.slice(7), body, bearer);
    if (path.startsWith('/whatsapp/')) return this.#answerWhatsapp(body, bearer);
    const [, token, method] = /^\/bot([^/]+)\/(\w+)$/.exec(path);
    const done = (result) => ({ status: 200, body: { ok: true, result } });
    if (method === 'getMe') return done({ id: Number(token.split(':')[0]), is_bot: true, username: 'LoadBot' });
    if (method === 'setWebhook') this.#secrets.set(token, body.secret_token);
    if (method !== 'sendMessage') return done(true);
    return this.#take(token, String(body.chat_id), body.text, (id) =>
      done({ message_id: id, date: 1, chat: { id: body.chat_id } }),
    );
  }

  #answerSlack(method, { channel, text }, token) {
    const done = (members) => ({ status: 200, body: { ok: true, ...members } });
    const n = token.slice('xoxb-'.length);
    if (method === 'auth.test') return done({ team: 'Load', user: 'load', team_id: `T${n}`, user_id: `UB${n}` });
    if (method !== 'chat.postMessage') return done({});
    return this.#take(token, channel.slice(1), text, (id) => done({ channel, ts: `${id}.000001` }));
  }

  #answerWhatsapp({ to, text }, token) {
    const number = { display_phone_number: '+1 555', verified_name: 'Load' };
    if (to === undefined) return { status: 200, body: { success: true, ...number } };
    return this.#take(token, to, text.body, (id) => ({
      status: 200,
      body: { messaging_product: 'whatsapp', messages: [{ id: `wamid.${id}` }] },
    }));
  }

  #take(token, chat, text, answer) {
    if (this.hanging.has(token)) return null;
    this.onMessage(chat, text);
    return answer(this.#nextId++);
  }
}
