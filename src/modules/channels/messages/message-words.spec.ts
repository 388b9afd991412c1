import type { Attachment, ForwardedMessage } from '../platforms/inbound-update.js';
import { wordsOf } from './message-words.js';

const file = (kind: string, more: Partial<Attachment> = {}): Attachment => ({
  ...{ kind, id: 'f', name: null, mediaType: null, sizeBytes: null, description: null },
  ...more,
});
const share = (text: string, more: Partial<ForwardedMessage> = {}): ForwardedMessage => ({
  ...{ author: { id: 'U1', name: 'Grace' }, chat: { id: 'C1', name: '#incidents' }, text },
  ...{ sentAtMs: null, url: null, attachments: [] },
  ...more,
});

describe('The words of a message', () => {
  it('are its text where it has some', () => {
    expect(wordsOf({ text: 'look', attachments: [file('image')] })).toBe('look');
  });

  it.each([
    ['[image]', [file('image')]],
    ['[3 images]', [file('image'), file('image', { name: 'a.png' }), file('image')]],
    ['[voice message, 7 s]', [file('audio', { description: 'voice message, 7 s' })]],
    ['[audio: Song]', [file('audio', { name: 'Song' })]],
    ['[document: invoice.pdf]', [file('document', { name: '../invoice.pdf' })]],
    ['[2 documents: a.pdf, b.csv]', [file('document', { name: 'a.pdf' }), file('document', { name: 'b.csv' })]],
    ['[2 images] [document: a.pdf]', [file('image'), file('document', { name: 'a.pdf' }), file('image')]],
    ['[sticker: 😀]', [file('sticker', { description: '😀' })]],
    ['[location: Cafe, 1.5, 2]', [file('location', { id: null, name: 'Cafe', description: '1.5, 2' })]],
    ['[contact: AC/DC, +49 1]', [file('contact', { id: null, name: 'AC/DC', description: '+49 1' })]],
    ['[poll: Tea?]', [file('poll', { id: null, description: 'Tea?' })]],
    ['[poll: a b]', [file('poll', { id: null, description: 'a\n\u202Eb' })]],
    [' \n', []],
  ])('without text say what came: %s', (words, attachments) => {
    expect(wordsOf({ text: ' \n', attachments })).toBe(words);
  });

  it('of a shared message name who wrote it and where', () => {
    expect(wordsOf({ text: '', attachments: [], forwarded: [share('Help')] })).toBe('Grace in #incidents: Help');
    const bare = share('', { author: null, chat: null, attachments: [file('image')] });
    expect(wordsOf({ text: '', attachments: [], forwarded: [bare] })).toBe('Somebody: [image]');
    expect(wordsOf({ text: '', attachments: [file('image')], forwarded: [bare, share('Help')] })).toBe(
      '[image]\nGrace in #incidents: Help',
    );
  });

  it('are short, whatever came', () => {
    const many = Array.from({ length: 500 }, (_, i) => file('document', { name: `${i}${'x'.repeat(900)}.pdf` }));
    expect(wordsOf({ text: '', attachments: many }).length).toBeLessThan(3_000);
    const long = wordsOf({ text: '', attachments: [file('poll', { id: null, description: '😀'.repeat(900) })] });
    expect(long.length).toBeLessThan(300);
    expect(long.isWellFormed()).toBe(true);
  });
});
