import { Injectable } from '@nestjs/common';
import { Reporter } from '../reporter/reporter.service.js';
import { ProgramTokens } from '../tokens/program-tokens.service.js';
import { RunFinisher } from './run-finisher.service.js';

const FINISHING_MS = 3_000;
const DELIVERY_MS = 3_000;

/** What follows when programs have ended: the reports of it, and at last the end of this process's own dealings with the API. */
@Injectable()
export class RunEndings {
  constructor(
    private readonly finisher: RunFinisher,
    private readonly tokens: ProgramTokens,
    private readonly reporter: Reporter,
  ) {}

  wake(): void {
    this.finisher.wake();
  }

  /** Reports what can be reported in a few seconds; the rest waits on disk for the next start. */
  async close(): Promise<void> {
    this.finisher.wake();
    await this.finisher.stop(FINISHING_MS);
    await this.tokens.revokeAll();
    await this.reporter.stop(DELIVERY_MS);
  }
}
