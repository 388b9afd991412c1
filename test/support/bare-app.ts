import 'reflect-metadata';
import type { IncomingMessage } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { Module, type INestApplication, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Clock } from '../../src/common/clock.js';
import { CommonModule } from '../../src/common/common.module.js';
import { createLogger } from '../../src/common/logger.js';
import { ShutdownSignal } from '../../src/common/shutdown-signal.js';
import { ApiSecret } from '../../src/config/api-secret.js';
import { ConfigModule } from '../../src/config/config.module.js';
import { loadConfig } from '../../src/config/env.js';
import { ApiHttpAdapter } from '../../src/http/api-http.adapter.js';
import { Authenticator, bearerToken } from '../../src/http/authenticator.js';
import type { Principal } from '../../src/common/principal.js';
import { HostCheck } from '../../src/http/host-check.js';
import { HttpModule } from '../../src/http/http.module.js';
import { ThreadVisibility } from '../../src/common/thread-visibility.js';
import { RequestEntry } from '../../src/http/request-entry.js';
import { ApiClient } from './api-client.js';

export const ADMIN_TOKEN = 'admin-token';

/** Knows tokens by name: `admin-token`, `runner-token`, `approver-token`. */
class NamedTokens extends Authenticator {
  override authenticate({ headers }: IncomingMessage): Principal | null {
    const token = bearerToken(headers.authorization);
    const scope = (['admin', 'runner', 'approver'] as const).find((name) => token === `${name}-token`);
    return scope ? { scope, tokenId: scope, agentIds: null, run: null, name: scope } : null;
  }

  override onRevoked(): () => void {
    return () => undefined;
  }
}

class NoThreads extends ThreadVisibility {
  override assertVisible(): Promise<void> {
    return Promise.reject(new Error('There are no threads.'));
  }
}

@Module({
  providers: [
    { provide: Authenticator, useClass: NamedTokens },
    { provide: ThreadVisibility, useClass: NoThreads },
  ],
  exports: [Authenticator, ThreadVisibility],
})
class NamedTokensModule {}

/** The application's HTTP layer around a test's own controllers, without features and storage. */
export class BareApp {
  private constructor(
    readonly app: INestApplication,
    readonly adapter: ApiHttpAdapter,
    readonly api: ApiClient,
    /** The lines of the log so far, parsed. */
    readonly log: Record<string, unknown>[],
  ) {}

  static async start(controllers: Type[], env: Record<string, string> = {}, providers: Type[] = []): Promise<BareApp> {
    const log: Record<string, unknown>[] = [];
    const destination = { write: (line: string) => void log.push(JSON.parse(line) as Record<string, unknown>) };
    const logger = createLogger({ level: 'debug', isPretty: false, destination });
    const config = loadConfig(env);
    const adapter = new ApiHttpAdapter({
      entry: new RequestEntry(new HostCheck(config.server), logger),
      drainTimeoutMs: config.server.shutdownTimeoutMs,
    });
    const root = {
      module: class BareModule {},
      controllers,
      providers,
      imports: [
        CommonModule.forRoot({ logger, clock: new Clock() }),
        ConfigModule.forRoot(config, new ApiSecret('not used', 'nowhere')),
        HttpModule.forRoot({ imports: [NamedTokensModule] }),
      ],
    };
    const app = await NestFactory.create(root, adapter, { logger: false, bodyParser: false, abortOnError: false });
    adapter.onClosing = () => app.get(ShutdownSignal).begin();
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    return new BareApp(app, adapter, new ApiClient(`http://127.0.0.1:${port}`, ADMIN_TOKEN), log);
  }

  /** Sends bytes unchanged. @returns everything received until the connection ends */
  async exchange(text: string): Promise<string> {
    const { hostname, port } = new URL(this.api.baseUrl);
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      const socket = connect(Number(port), hostname, () => socket.write(text));
      socket.on('data', (chunk) => chunks.push(chunk));
      socket.on('error', reject);
      socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    });
  }

  async stop(): Promise<void> {
    this.api.close();
    await this.app.close();
  }
}
