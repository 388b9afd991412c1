import { createHash, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PlatformCalls } from '../../src/modules/channels/platforms/platform-calls.js';
import type { OutboundFile, SendOutcome } from '../../src/modules/channels/platforms/outbound-message.js';
import { CHANNEL_TYPES } from '../../src/modules/channels/platforms/platforms.js';
import { KITS, type PlatformKit } from '../support/platform-kits.js';

const never = new AbortController().signal;
const PNG = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47]), randomBytes(700_000)]);

let kit: PlatformKit;

function fileOf(bytes: Buffer, more: Partial<OutboundFile> = {}): OutboundFile {
  const pieces = async function* () {
    for (let at = 0; at < bytes.length; at += 256 * 1024) yield bytes.subarray(at, at + 256 * 1024);
  };
  return {
    ...{ kind: 'file', chat: { chatId: kit.chatId, topic: null }, caption: 'Sales of **May**', name: 'chart.png' },
    ...{ mediaType: 'image/png', sizeBytes: bytes.length, bytes: pieces, uploadId: null },
    ...more,
  };
}

/** As the outbox does it. */
async function send(file: OutboundFile): Promise<SendOutcome> {
  const outcome = await attempt(file);
  for (const secret of kit.secrets) expect(JSON.stringify(outcome)).not.toContain(secret);
  return outcome;
}

async function attempt(file: OutboundFile): Promise<SendOutcome> {
  const uploaded = await kit.adapter.upload(kit.account, file, never);
  if (uploaded.kind !== 'uploaded') return uploaded;
  return kit.adapter.send(kit.account, { ...file, uploadId: uploaded.uploadId }, never);
}

const digest = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

describe.each(CHANNEL_TYPES)('A file sent through the adapter of %s', (type) => {
  beforeEach(async () => {
    kit = await KITS[type]();
  });
  afterEach(() => kit.close());

  it('arrives whole, with its name and its words', async () => {
    expect(await send(fileOf(PNG))).toMatchObject({ kind: 'sent' });
    const [shown] = kit.files();
    expect(digest(shown!.bytes)).toBe(digest(PNG));
    expect(shown!.name).toBe('chart.png');
    expect(shown!.caption.replaceAll('*', '')).toBe('Sales of May');
  });

  it.each([
    ['image/png', 'photo.png', 'sendPhoto', 'image'],
    ['image/gif', 'a.gif', 'sendDocument', null],
    ['audio/ogg', 'voice.ogg', 'sendVoice', 'audio'],
    ['audio/mpeg', 'song.mp3', 'sendAudio', 'audio'],
    ['video/mp4', 'clip.mp4', 'sendVideo', 'video'],
    ['application/pdf', 'report.pdf', 'sendDocument', 'document'],
    ['text/csv', 'table.csv', 'sendDocument', 'document'],
    ['text/html', 'page.html', 'sendDocument', 'document'],
  ])('of type %s is shown as what it is', async (mediaType, name, onTelegram, onWhatsapp) => {
    const outcome = await send(fileOf(PNG, { mediaType, name, caption: '' }));
    const method = { telegram: onTelegram, whatsapp: onWhatsapp, slack: 'share' }[type];
    expect(outcome.kind).toBe(method === null ? 'refused' : 'sent');
    expect(kit.files().map((file) => file.method)).toEqual(method === null ? [] : [method]);
    if (method === 'document' || type !== 'whatsapp') expect(kit.files()[0]!.name).toBe(name);
  });

  it('may have words of any kind, and as many as fit', async () => {
    for (const caption of [
      '<b>& "x" *y*',
      '**'.repeat(512),
      'x'.repeat(1024),
      '**a** '.repeat(170),
      '😀'.repeat(512),
    ]) {
      expect(await send(fileOf(PNG, { caption }))).toMatchObject({ kind: 'sent' });
    }
  });

  it.each(['a "b".png', 'über 漢字 😀.png', 'x; filename=y.png', 'half \ud83d.png', 'a\\b.png'])(
    'may be called %j',
    async (name) => {
      expect(await send(fileOf(PNG, { name }))).toMatchObject({ kind: 'sent' });
      expect(digest(kit.files()[0]!.bytes)).toBe(digest(PNG));
    },
  );

  it('is of unknown fate when the answer to the call that shows it is lost, and shown once', async () => {
    kit.failNextFile('break-after');
    expect(await send(fileOf(PNG))).toMatchObject({ kind: 'unknown' });
    expect(kit.files()).toHaveLength(1);
  });

  it.each(['hang', { status: 502, body: '<html>Bad Gateway</html>' }, { status: 307, body: '' }] as const)(
    'is of unknown fate after %j',
    async (mishap) => {
      kit.failNextFile(mishap);
      const file = fileOf(PNG);
      const limit = new AbortController();
      const uploaded = await kit.adapter.upload(kit.account, file, never);
      const uploadId = uploaded.kind === 'uploaded' ? uploaded.uploadId : 'none';
      const sending = kit.adapter.send(kit.account, { ...file, uploadId }, limit.signal);
      setTimeout(() => limit.abort(), 500);
      expect(await sending).toMatchObject({ kind: 'unknown' });
    },
  );

  it('is tried again when the upload breaks, and shown once', async () => {
    if (type === 'telegram') return; // one call does both
    for (const mishap of ['break', 'break-after', { status: 503, body: 'busy' }] as const) {
      kit.failNextUpload(mishap);
      expect(await send(fileOf(PNG))).toMatchObject({ kind: 'later' });
    }
    expect(kit.files()).toHaveLength(0);
    expect(await send(fileOf(PNG))).toMatchObject({ kind: 'sent' });
    expect(kit.files()).toHaveLength(1);
  });

  it('whose bytes cannot be read to the end is certainly not sent', async () => {
    const bytes = async function* () {
      yield PNG.subarray(0, 300_000);
      await Promise.reject(new Error('gone'));
    };
    expect(await send(fileOf(PNG, { bytes }))).toMatchObject({ kind: 'later' });
    expect(kit.files()).toHaveLength(0);
  });

  it('waits as long as the platform says when there were too many', async () => {
    kit.failNextFile({ status: 429, body: 'slow down', headers: { 'retry-after': '3' } });
    expect(await send(fileOf(PNG))).toMatchObject({ kind: 'later', afterMs: 3_000 });
  });

  it('to a chat that does not exist is refused', async () => {
    const chat = { chatId: kit.unknownChatId, topic: null };
    expect(await send(fileOf(PNG, { chat }))).toMatchObject({ kind: 'refused', isChatClosed: true });
  });
});

describe('A file on Telegram', () => {
  beforeEach(async () => {
    kit = await KITS.telegram();
  });
  afterEach(() => kit.close());

  it('that is refused as a photo goes as a document', async () => {
    expect(await send(fileOf(Buffer.from('no picture')))).toMatchObject({ kind: 'sent' });
    expect(kit.files().map(({ method, caption }) => [method, caption])).toEqual([['sendDocument', 'Sales of May']]);
  });

  it('that something before it does not let through, as it is too large, is certainly not sent', async () => {
    kit.failNextFile({ status: 413, body: '<html>Request Entity Too Large</html>' });
    const pdf = { mediaType: 'application/pdf', name: 'report.pdf' };
    expect(await send(fileOf(PNG, pdf))).toMatchObject({ kind: 'refused', isChatClosed: false });
    expect(kit.files()).toHaveLength(0);
  });

  it('goes as a document where it is too large for a photo', async () => {
    await send(fileOf(Buffer.alloc(10_000_001, 0x89)));
    expect(kit.files().map(({ method }) => method)).toEqual(['sendDocument']);
  });
});

describe('A file on Slack', () => {
  it.each(['https://evil.example/upload', 'http://files.slack.com/x', 'https://169.254.169.254/', ''])(
    'is handed to no other address: %s',
    async (upload_url) => {
      kit = await KITS.slack();
      const server = createServer((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ ok: true, upload_url, file_id: 'F1' }));
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const { PLATFORMS } = await import('../../src/modules/channels/platforms/platforms.js');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const adapter = PLATFORMS.slack.connect(new PlatformCalls(3_000), url);
      const outcome = await adapter.upload(kit.account, fileOf(PNG), never);
      expect(outcome).toMatchObject({ kind: 'later', reason: "the platform's link to the file leads elsewhere" });
      server.close();
      await kit.close();
    },
  );
});
