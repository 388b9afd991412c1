import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TelegramFake } from '../fakes/platforms/telegram-fake.js';

/** Several bots at one address, like the real platform. Hanging ones accept requests and never respond. */
export class TelegramHub {
  readonly hanging = new Set<TelegramFake>();
  /** Number of hanging requests of each bot. */
  readonly hung = new Map<TelegramFake, number>();

  private constructor(
    private readonly server: Server,
    readonly bots: readonly TelegramFake[],
  ) {}

  static async start(count: number): Promise<TelegramHub> {
    const tokens = Array.from({ length: count }, (_, i) => `${700_000_000 + i}:TEST-token_of_the_fake_bot`);
    const bots = await Promise.all(tokens.map((token) => TelegramFake.start(0, token)));
    // With hundreds of chats retrying at once, a busy server would never respond.
    for (const bot of bots) bot.retryMs = 1_000;
    const server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
      // The caller may give up meanwhile.
      hub.pass(request, response).catch(() => response.destroy());
    });
    const hub = new TelegramHub(server, bots);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return hub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await Promise.all(this.bots.map((bot) => bot.close()));
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const bot = this.bots.find(({ token }) => request.url?.startsWith(`/bot${token}/`));
    if (!bot) return void response.writeHead(404).end();
    if (this.hanging.has(bot)) return void this.hung.set(bot, (this.hung.get(bot) ?? 0) + 1);
    const answer = await fetch(`${bot.url}${request.url}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.concat(chunks),
    });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
  }
}
