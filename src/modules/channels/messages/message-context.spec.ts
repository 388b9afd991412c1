import type { Attachment, RepliedMessage } from '../platforms/inbound-update.js';
import type { ChannelMessage, MessagePayload } from './channel-message.entity.js';
import { contextOf, withReply } from './message-context.js';

const file = (more: Partial<Attachment> = {}): Attachment => ({
  ...{ kind: 'document', id: 'f', name: 'a.pdf', mediaType: 'application/pdf', sizeBytes: 5, description: null },
  ...more,
});
const reply: RepliedMessage = {
  ...{ messageId: '7', isHere: true, author: { id: '5', name: null }, isOwn: false },
  ...{ text: null, quote: null, attachments: [] },
};
const MESSAGE = { id: 'm', thread_id: 't:1' };
const contentOf = (more: Partial<MessagePayload> = {}, quoted: Partial<ChannelMessage> | null = null) => {
  const payload: MessagePayload = { is_private: true, attachments: [], occurred_at: 1_763_600_000_000, ...more };
  return contextOf(
    { id: 'm', thread_id: 't:1', external_id: '77' },
    payload,
    { quoted: quoted as ChannelMessage | null, album: [] },
    100,
  );
};

describe('What an agent is told of a message', () => {
  it('names the message, its time and nothing else where there is nothing else', () => {
    expect(contentOf()).toEqual({
      ...{ attachments: [], message_ids: ['77'], sent_at: '2025-11-20T00:53:20.000Z' },
      ...{ reply_to: null, forwarded: [], button: null, late_for: null },
    });
    expect(contentOf({ occurred_at: 1e300 }).sent_at).toBeNull();
  });

  it.each([
    ['text/html', 'text/html'],
    ['audio/ogg; codecs=opus', 'audio/ogg; codecs=opus'],
    ['text/html\r\nX: y', null],
    ['x', null],
    ['', null],
  ])('has only media types that are some: %j', (mediaType, expected) => {
    expect(contentOf({ attachments: [file({ mediaType })] }).attachments).toMatchObject([
      { media_type: expected, mediaType: expected },
    ]);
  });

  it.each([-1, 1.5, 1e308, NaN])('has only sizes that are some: %p', (sizeBytes) => {
    expect(contentOf({ attachments: [file({ sizeBytes })] }).attachments).toMatchObject([
      { size_bytes: null, sizeBytes: null },
    ]);
  });

  it('has from the log what the platform leaves out of a message that is answered', () => {
    const payload = JSON.stringify({ attachments: [file()] });
    const row = { direction: 'in' as const, user_id: '5', user_name: 'Bo', text: 'hi', payload, run_id: 'r' };
    expect(contentOf({ reply_to: reply }, row).reply_to).toMatchObject({
      ...{ author: { id: '5', name: 'Bo' }, is_own: false, text: 'hi', run: null },
      attachments: [{ name: 'a.pdf' }],
    });
  });

  it('has what the platform says later, but for the run', () => {
    const context = contentOf({ reply_to: reply });
    const found = { ...reply, author: { id: '5', name: 'Bo' }, text: 'x'.repeat(5_000) };
    expect(withReply(MESSAGE, context, found, 100).reply_to).toMatchObject({
      author: { name: 'Bo' },
      text: expect.any(String),
    });
    expect(withReply(MESSAGE, context, found, 100).reply_to!.text).toHaveLength(4_000);
    expect(withReply(MESSAGE, context, null, 100)).toBe(context);
  });

  it('says where the bytes of each file are, or why there are none', () => {
    const attachments = [file(), file({ sizeBytes: 101 }), file({ id: null, kind: 'location' })];
    const context = contentOf({ attachments, reply_to: { ...reply, attachments: [file()] } });
    expect(context.attachments).toMatchObject([
      { href: '/v1/runners/threads/t%3A1/attachments/m.0', unavailable: null },
      { href: null, unavailable: 'larger than 100 bytes' },
      { href: null, unavailable: 'it is no file' },
    ]);
    expect(context.reply_to!.attachments).toMatchObject([{ href: '/v1/runners/threads/t%3A1/attachments/m.3' }]);
  });

  it('has at most 256 KiB, and keeps the message itself longest', () => {
    const text = '\u0007'.repeat(4_000);
    const attachments = [file(), file()];
    const forward = { author: null, chat: null, text, sentAtMs: null, url: null, attachments: [] };
    const forwarded = Array.from({ length: 40 }, () => forward);
    const context = contentOf({ attachments, forwarded, reply_to: { ...reply, text } });
    expect(Buffer.byteLength(JSON.stringify(context))).toBeLessThanOrEqual(256 * 1024);
    expect(context.attachments).toHaveLength(2);
    expect(context.reply_to).not.toBeNull();
    const many = Array.from({ length: 300 }, () => file({ description: text }));
    const cut = contentOf({ attachments: many, reply_to: { ...reply, attachments: many } });
    expect(Buffer.byteLength(JSON.stringify(cut))).toBeLessThanOrEqual(256 * 1024);
    expect(cut.message_ids).toEqual(['77']);
  });
});
