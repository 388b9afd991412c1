import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
/** NIST SP 800-38D recommends 96 bits. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const VERSION = 'v1.';

/** Encrypts secrets in the database with AES-256-GCM. HKDF-SHA-256 derives the key from the machine secret. */
export class SecretBox {
  private readonly key: Buffer;

  /** @param purpose each has its own key, so that a sealed text cannot be used for another purpose */
  constructor(machineSecret: string, purpose: string) {
    this.key = Buffer.from(hkdfSync('sha256', machineSecret, '', `waystation ${purpose}`, KEY_BYTES));
  }

  /** @param owner the owner of the secret: it opens only for the same one */
  seal(text: string, owner: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv(CIPHER, this.key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(owner));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
    return VERSION + sealed.toString('base64url');
  }

  /** The text; null if it was sealed with another secret or for another owner, or was changed. */
  open(sealed: string, owner: string): string | null {
    const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
    if (!sealed.startsWith(VERSION) || bytes.length < NONCE_BYTES + TAG_BYTES) return null;
    const tagAt = bytes.length - TAG_BYTES;
    try {
      const decipher = createDecipheriv(CIPHER, this.key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
      decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(tagAt));
      return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, tagAt)), decipher.final()]).toString('utf8');
    } catch {
      return null;
    }
  }
}
