import type { ApiRequest } from './api-request.js';

/** Whether the caller may keep receiving an endless response: tokens are revoked, and expire, during it. */
export class TokenRecheck {
  private askedAtMs = performance.now();

  constructor(private readonly ask: ApiRequest['isStillAdmitted']) {}

  /**
   * @param trustMs milliseconds for which an earlier look-up counts; 0 asks in any case
   * @throws as `Authenticator` does
   */
  async holds(trustMs: number): Promise<boolean> {
    const nowMs = performance.now();
    if (!this.ask || nowMs - this.askedAtMs < trustMs) return true;
    if (!(await this.ask())) return false;
    this.askedAtMs = nowMs;
    return true;
  }
}
