import type { ApiRequest } from './api-request.js';

/** Whether the caller may keep receiving an endless response: tokens may be revoked or expire during it. */
export class TokenRecheck {
  private askedAtMs = performance.now();

  constructor(private readonly ask: ApiRequest['isStillAdmitted']) {}

  /**
   * @param trustMs milliseconds for which an earlier lookup counts; 0 always looks up
   * @throws as `Authenticator`
   */
  async holds(trustMs: number): Promise<boolean> {
    const nowMs = performance.now();
    if (!this.ask || nowMs - this.askedAtMs < trustMs) return true;
    if (!(await this.ask())) return false;
    this.askedAtMs = nowMs;
    return true;
  }
}
