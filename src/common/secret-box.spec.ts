import { SecretBox } from './secret-box.js';

const SECRET = 'a'.repeat(64);

describe('A secret box', () => {
  const box = new SecretBox(SECRET, 'invoke tokens');

  it('gives back what was put in', () => {
    for (const text of ['', 'token', 'ünï\u{1f511}', 'x'.repeat(10_000)]) {
      expect(box.open(box.seal(text, 'support'), 'support')).toBe(text);
    }
  });

  it('never shows the same text twice in the same way, nor the text itself', () => {
    const sealed = [box.seal('token', 'support'), box.seal('token', 'support')];
    expect(sealed[0]).not.toBe(sealed[1]);
    expect(Buffer.from(sealed[0]!, 'base64url').includes('token')).toBe(false);
  });

  it('stays closed for another owner, purpose or secret', () => {
    const sealed = box.seal('token', 'support');
    expect(box.open(sealed, 'researcher')).toBeNull();
    expect(new SecretBox(SECRET, 'channels').open(sealed, 'support')).toBeNull();
    expect(new SecretBox('b'.repeat(64), 'invoke tokens').open(sealed, 'support')).toBeNull();
  });

  it('stays closed when anything of it was changed', () => {
    const sealed = box.seal('token', 'support');
    for (let at = 0; at < sealed.length; at++) {
      const other = sealed[at] === 'A' ? 'B' : 'A';
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      const isSame = Buffer.from(changed.slice(3), 'base64url').equals(Buffer.from(sealed.slice(3), 'base64url'));
      if (!isSame || at < 3) expect(box.open(changed, 'support')).toBeNull();
    }
    expect(box.open('', 'support')).toBeNull();
    expect(box.open('v1.', 'support')).toBeNull();
  });
});
