import { FakeAgent, type RunScript } from '../fakes/fake-agent.js';
import { TelegramFake } from '../fakes/platforms/telegram-fake.js';
import type { ApiClient } from './api-client.js';
import { ok, type Page } from './recording.js';

/** A message of the log, with the fields that tests look at. */
export interface LoggedMessage {
  id: string;
  external_id: string | null;
  created_at: string;
  direction: 'in' | 'out';
  kind: string;
  text: string;
  status: string;
  reason: string | null;
  run_id: string | null;
  thread_id: string | null;
}

/** A bot on the fake Telegram, its channel, and an agent; the server is the test's own. */
export class TelegramWorld {
  channelId = '';

  private constructor(
    readonly telegram: TelegramFake,
    readonly agent: FakeAgent,
  ) {}

  static async start(script?: RunScript): Promise<TelegramWorld> {
    return new TelegramWorld(await TelegramFake.start(), await FakeAgent.start('support', script));
  }

  /** Environment for the server. */
  get env(): Record<string, string> {
    return { WAYSTATION_TELEGRAM_API_URL: this.telegram.url };
  }

  /** Creates the channel, verified, with its webhook set up and the agent bound; the agent has sent its heartbeat. */
  async connect(
    api: ApiClient,
    config: Record<string, unknown> = {},
    more: Record<string, unknown> = {},
  ): Promise<void> {
    this.agent.api = api;
    const body = { channel_type: 'telegram', name: 'Support', config: { bot_token: this.telegram.token, ...config } };
    const created = (await taken(api.post('/v1/channels', { ...body, ...more }))).json<{
      id: string;
      verification_code: string;
    }>();
    this.channelId = created.id;
    await taken(api.post(this.path('/agents'), { agent_name: this.agent.name }));
    await taken(api.post(this.path('/verify'), { code: created.verification_code }));
    if (config.transport !== 'polling') await this.setWebhook(api);
    await this.agent.beat();
  }

  async setWebhook(api: ApiClient): Promise<void> {
    await taken(api.post(this.path('/setup-webhook'), { base_url: api.baseUrl }));
  }

  path(rest = ''): string {
    return `/v1/channels/${this.channelId}${rest}`;
  }

  /** Texts that the bot has sent to a chat, in order. */
  sentTo(chatId: number): string[] {
    return this.telegram.messages.filter((message) => message.chatId === String(chatId)).map(({ text }) => text);
  }

  /** The message log, oldest first. */
  async log(api: ApiClient): Promise<LoggedMessage[]> {
    const items: LoggedMessage[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const query: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const page: Page<LoggedMessage> = ok(await api.get(this.path(`/messages?limit=200${query}`))).json();
      items.push(...page.items);
      cursor = page.next_cursor;
    }
    return items.reverse();
  }

  async close(): Promise<void> {
    await this.agent.close();
    await this.telegram.close();
  }
}

async function taken(answering: ReturnType<ApiClient['post']>): ReturnType<ApiClient['post']> {
  const answer = await answering;
  if (answer.status >= 300) throw new Error(`Expected success, got ${answer.status}: ${answer.text}`);
  return answer;
}
