import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ChannelAccount, ChannelAdapter } from '../../src/modules/channels/platforms/channel-adapter.js';
import { PlatformError } from '../../src/modules/channels/platforms/channel-adapter.js';
import { PlatformCalls } from '../../src/modules/channels/platforms/platform-calls.js';
import { FileUnavailable, fileUrl } from '../../src/modules/channels/platforms/platform-file.js';
import { CHANNEL_TYPES, PLATFORMS, type ChannelType } from '../../src/modules/channels/platforms/platforms.js';

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

const TOKEN = '700100200:the-token_that_must_not_show';
const BYTES = Buffer.from('\x00\x01the bytes of a file');

/** A platform that answers what the test says: what it knows of the file, and then its bytes. */
class FileHost {
  known: (link: string) => { status: number; body: object };
  bytes: Respond = (_request, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(BYTES);
  readonly paths: string[] = [];
  readonly authorizations: (string | undefined)[] = [];

  private constructor(
    readonly type: ChannelType,
    private readonly server: Server,
  ) {
    this.known = (link) => ({ status: 200, body: KNOWN[type](link) });
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.answer(request, response));
  }

  static async start(type: ChannelType): Promise<FileHost> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new FileHost(type, server);
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private answer(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? '';
    this.paths.push(path);
    this.authorizations.push(request.headers.authorization);
    if (path.startsWith('/file/')) return this.bytes(request, response);
    const { status, body } = this.known(`${this.url}/file/abc`);
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }
}

const KNOWN: Record<ChannelType, (link: string) => object> = {
  telegram: () => ({ ok: true, result: { file_id: 'f', file_size: BYTES.length, file_path: 'photos/file 1.jpg' } }),
  whatsapp: (url) => ({ url, mime_type: 'image/png', file_size: String(BYTES.length), id: 'f' }),
  slack: (url) => ({
    ok: true,
    file: { id: 'f', mimetype: 'image/png', size: BYTES.length, url_private_download: url },
  }),
};

const GONE: Record<ChannelType, { status: number; body: object }> = {
  telegram: { status: 400, body: { ok: false, error_code: 400, description: 'Bad Request: invalid file_id' } },
  whatsapp: { status: 400, body: { error: { code: 100, error_subcode: 33, message: 'Object does not exist' } } },
  slack: { status: 200, body: { ok: false, error: 'file_deleted' } },
};

describe.each(CHANNEL_TYPES)('A file of %s', (type) => {
  let host: FileHost;
  let adapter: ChannelAdapter;
  let account: ChannelAccount;
  const end = new AbortController();

  beforeEach(async () => {
    host = await FileHost.start(type);
    adapter = PLATFORMS[type].connect(new PlatformCalls(3_000), host.url);
    const secrets = { app_secret: 's'.repeat(20), signing_secret: 's'.repeat(20), verify_token: 'v'.repeat(20) };
    const config = { bot_token: TOKEN, access_token: TOKEN, phone_number_id: '1', ...secrets };
    account = { channelId: 'c', config, profile: { userId: null, userName: null, team: null }, webhookSecrets: [] };
  });
  afterEach(() => host.close());

  const open = (id = 'f') => adapter.openFile(account, id, end.signal);
  const fault = () =>
    open().then(
      () => null,
      (error: unknown) => error,
    );

  it('comes with the credentials of the channel, by a fresh link each time', async () => {
    for (let i = 0; i < 2; i++) {
      const file = await open();
      const chunks: Uint8Array[] = [];
      for await (const chunk of file.bytes) chunks.push(chunk);
      expect(Buffer.concat(chunks)).toEqual(BYTES);
      expect(file).toMatchObject({ sizeBytes: BYTES.length, mediaType: expect.stringMatching(/^image\/(png|jpeg)$/) });
    }
    expect(host.paths).toHaveLength(4);
    const isInPath = type === 'telegram';
    expect(host.paths.at(-1)).toBe(isInPath ? `/file/bot${TOKEN}/photos/file%201.jpg` : '/file/abc');
    expect(host.authorizations.at(-1)).toBe(isInPath ? undefined : `Bearer ${TOKEN}`);
  });

  it('that the platform has no more is gone', async () => {
    host.known = () => GONE[type];
    expect(await fault()).toMatchObject({ fault: 'gone' });
    host.known = (link) => ({ status: 200, body: KNOWN[type](link) });
    host.bytes = (_request, response) => response.writeHead(404).end();
    expect(await fault()).toBeInstanceOf(FileUnavailable);
  });

  it('that the platform may have again soon is not gone', async () => {
    const [code, error] = [131056, 'ratelimited'];
    const words = 'Bad Request: wrong file_id or the file is temporarily unavailable';
    const passing: Record<ChannelType, { status: number; body: object }> = {
      telegram: { status: 400, body: { ok: false, error_code: 400, description: words } },
      whatsapp: { status: 400, body: { error: { code, message: 'Too many messages' } } },
      slack: { status: 429, body: { ok: false, error } },
    };
    host.known = () => passing[type];
    const refusal = await fault();
    expect(refusal).toBeInstanceOf(PlatformError);
    expect(refusal).not.toBeInstanceOf(FileUnavailable);
  });

  it.each<[string, Respond]>([
    ['a redirect', (_request, response) => response.writeHead(302, { location: 'http://127.0.0.1:9/x' }).end()],
    ['a refusal', (_request, response) => response.writeHead(403).end('no')],
    ['a broken connection', (request) => request.socket.destroy()],
    ['nothing in time', () => undefined],
  ])('is refused, without a token in the words, after %s', async (_, respond) => {
    host.bytes = respond;
    const error = await fault();
    expect(error).toBeInstanceOf(PlatformError);
    expect(error).not.toBeInstanceOf(FileUnavailable);
    const words = `${JSON.stringify(error)} ${String(error)} ${String((error as Error).stack)} ${String((error as Error).cause)}`;
    expect(words).not.toMatch(/the-token|127\.0\.0\.1/);
    expect(host.paths.filter((path) => path.startsWith('/file/'))).toHaveLength(1);
  });

  it('does not let an id reach another path of the server', async () => {
    await open('../../x?y#z').catch(() => null);
    expect(host.paths[0]).not.toMatch(/\.\.\/|[?]y|#z/);
  });
});

describe('A link to a file', () => {
  const api = 'https://graph.facebook.com/v23.0';

  it.each([
    'https://graph.facebook.com/x?y=1',
    'https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1',
    'https://files.slack.com/files-pri/T1-F1/download/a.png',
  ])('may lead to the platform: %s', (link) => {
    expect(fileUrl(link, api).href).toBe(link);
  });

  it.each([
    'http://lookaside.fbsbx.com/x',
    'http://graph.facebook.com/x',
    'https://evil.com/fbsbx.com',
    'https://fbsbx.com.evil.com/x',
    'https://notslack.com/x',
    'https://files.slack.com:8443/x',
    'https://files.slack.com@evil.com/x',
    'https://user:pass@files.slack.com/x',
    'https://169.254.169.254/latest',
    'file:///etc/passwd',
    'javascript:alert(1)',
    '',
    'x',
  ])('may lead nowhere else: %s', (link) => {
    expect(() => fileUrl(link, api)).toThrow("the platform's link to the file leads elsewhere");
  });
});

describe('A file of slack', () => {
  it.each<[string, object, string]>([
    ['image/png', {}, 'text/html; charset=utf-8'],
    ['text/html', { 'content-length': 5 }, 'text/html'],
  ])('that is a page to sign in asks for the scope: %s', async (mimetype, headers, answered) => {
    const host = await FileHost.start('slack');
    const file = { id: 'f', mimetype, size: 100, url_private_download: `${host.url}/file/abc` };
    host.known = () => ({ status: 200, body: { ok: true, file } });
    host.bytes = (_request, response) => response.writeHead(200, { 'content-type': answered, ...headers }).end('login');
    const account = { channelId: 'c', config: { bot_token: TOKEN }, profile: null as never, webhookSecrets: [] };
    const adapter = PLATFORMS.slack.connect(new PlatformCalls(3_000), host.url);
    await expect(adapter.openFile(account, 'f', new AbortController().signal)).rejects.toThrow(
      /add the scope files:read/,
    );
    host.known = () => ({ status: 200, body: { ok: false, error: 'missing_scope', needed: 'files:read' } });
    await expect(adapter.openFile(account, 'f', new AbortController().signal)).rejects.toThrow(
      /add the scope files:read/,
    );
    host.close();
  });
});

describe('A file of telegram', () => {
  it.each(['../../etc/passwd', 'photos/../x', '/abs', 'photos//x', 7, ''])(
    'is fetched from no other place: %s',
    async (file_path) => {
      const host = await FileHost.start('telegram');
      host.known = () => ({ status: 200, body: { ok: true, result: { file_path } } });
      const account = { channelId: 'c', config: { bot_token: TOKEN }, profile: null as never, webhookSecrets: [] };
      const adapter = PLATFORMS.telegram.connect(new PlatformCalls(3_000), host.url);
      await expect(adapter.openFile(account, 'f', new AbortController().signal)).rejects.toThrow(/names no place/);
      expect(host.paths).toHaveLength(1);
      host.close();
    },
  );

  it('that is too big is known by the words of Telegram', async () => {
    const host = await FileHost.start('telegram');
    const body = { ok: false, error_code: 400, description: 'Bad Request: file is too big' };
    host.known = () => ({ status: 400, body });
    const account = { channelId: 'c', config: { bot_token: TOKEN }, profile: null as never, webhookSecrets: [] };
    const adapter = PLATFORMS.telegram.connect(new PlatformCalls(3_000), host.url);
    await expect(adapter.openFile(account, 'f', new AbortController().signal)).rejects.toMatchObject({
      fault: 'too_large',
    });
    host.close();
  });
});
