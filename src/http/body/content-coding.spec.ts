import zlib from 'node:zlib';
import { BodyBudget } from './body-budget.js';
import { checkContentCoding, decodeContent } from './content-coding.js';

const share = () => new BodyBudget(1_000_000, 0).share();
const text = Buffer.from('{"events":[]}');

describe('A compressed body', () => {
  it.each([
    ['gzip', zlib.gzipSync(text)],
    ['x-gzip', zlib.gzipSync(text)],
    ['deflate', zlib.deflateSync(text)],
    ['deflate', zlib.deflateRawSync(text)],
    ['br', zlib.brotliCompressSync(text)],
  ])('in %s reads as it was', async (coding, body) => {
    expect(await decodeContent(coding, body, 1000, share())).toEqual(text);
  });

  it.each([
    ['gzip', zlib.gzipSync],
    ['deflate', zlib.deflateSync],
    ['br', zlib.brotliCompressSync],
  ])('in %s is not inflated beyond the limit', async (coding, compress) => {
    const bomb = compress(Buffer.alloc(10_000_000));
    expect(bomb.length).toBeLessThan(20_000);
    await expect(decodeContent(coding, bomb, 20_000, share())).rejects.toMatchObject({
      kind: 'too_large',
      code: 'body_too_large',
    });
  });

  it.each(['gzip', 'deflate', 'br'])('that is not %s at all is a fault of the sender', async (coding) => {
    await expect(decodeContent(coding, text, 1000, share())).rejects.toMatchObject({
      kind: 'invalid',
      code: 'invalid_content_encoding',
    });
  });

  it('that ends too early is a fault of the sender', async () => {
    const cut = zlib.gzipSync(text).subarray(0, 20);
    await expect(decodeContent('gzip', cut, 1000, share())).rejects.toMatchObject({ kind: 'invalid' });
  });

  it.each(['zstd', 'gzip, gzip', 'compress'])('in %s is refused unread', (coding) => {
    expect(() => checkContentCoding(coding)).toThrow(expect.objectContaining({ kind: 'unsupported_media' }));
  });

  it('may say so in any case, or not be compressed', () => {
    expect([checkContentCoding(' GZip '), checkContentCoding(undefined), checkContentCoding('')]).toEqual([
      'gzip',
      'identity',
      'identity',
    ]);
  });
});
