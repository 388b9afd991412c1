import { Injectable } from '@nestjs/common';
import { SecretBox } from '../../common/secret-box.js';
import { ApiSecret } from '../../config/api-secret.js';
import type { Notice } from './notice.entity.js';

/** Encrypts notices' secrets for the database. */
@Injectable()
export class NoticeVault {
  private readonly box: SecretBox;

  constructor({ value }: ApiSecret) {
    this.box = new SecretBox(value, 'notice secrets');
  }

  seal(secret: string, noticeId: string): string {
    return this.box.seal(secret, noticeId);
  }

  /** The secrets that sign now; empty if another machine secret sealed them. */
  secretsOf({ id, secret, old_secret, old_secret_until }: Notice, nowMs: number): string[] {
    const isOldValid = old_secret !== null && Number(old_secret_until) > nowMs;
    const sealed = isOldValid ? [secret, old_secret] : [secret];
    return sealed.flatMap((text) => (text === null ? null : this.box.open(text, id)) ?? []);
  }
}
