import type { Logger } from '../common/logger.js';
import { PeriodicJob } from '../common/periodic-job.js';
import {
  findServer,
  removeServerRecord,
  serverRecordFile,
  writeServerRecord,
  type ServerRecord,
} from '../common/server-record.js';

/** A check reads one small file. */
const CHECK_MS = 2_000;

/**
 * Tells this user's commands where the server is. Of several servers in one home directory the first counts; when it has gone, another one
 * with the same storage takes over. A server with another storage would receive its reports and decisions.
 */
export class ServerAnnouncement {
  private readonly job: PeriodicJob;
  private hasFailed = false;
  /** The last server found: this one may take over from it. */
  private found: ServerRecord | null = null;

  constructor(
    private readonly home: string,
    private readonly server: Pick<ServerRecord, 'url' | 'public_url' | 'version' | 'database' | 'storage'>,
    private readonly logger: Logger,
  ) {
    this.job = new PeriodicJob(
      async () => this.check(),
      (error) => this.logFailure(error),
    );
  }

  start(): void {
    const other = this.check();
    if (other !== null)
      this.logger.info(
        { url: other.url },
        'another server of this home directory is running; commands keep finding that one',
      );
    this.job.start(CHECK_MS);
  }

  async stop(): Promise<void> {
    await this.job.stop();
    removeServerRecord(this.home);
  }

  /** The announced server; null if that is this one from now on. */
  private check(): ServerRecord | null {
    const found = findServer(this.home);
    if (found !== null) this.found = found;
    else if (this.found === null || this.found.storage === this.server.storage) this.write();
    return found;
  }

  private write(): void {
    try {
      writeServerRecord(this.home, this.server);
    } catch (error) {
      this.logFailure(error);
    }
  }

  private logFailure(error: unknown): void {
    if (this.hasFailed) return;
    this.hasFailed = true;
    const file = serverRecordFile(this.home);
    this.logger.warn({ err: error, file }, 'commands cannot find this server; set WAYSTATION_API_URL for them');
  }
}
