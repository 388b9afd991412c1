import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createLogger, type Logger } from '../common/logger.js';
import { VERSION } from '../common/version.js';
import { apiSecretFile } from '../config/api-secret.js';
import type { AppConfig } from '../config/app-config.js';
import type { ServerConfig } from '../config/server.config.js';
import { createApp } from '../create-app.js';
import { CliError } from './cli-error.js';
import type { Terminal } from './terminal.js';

/** Closing the storage gets this long after the requests in flight had their time. */
const CLOSING_MS = 5000;
const EVERY_ADDRESS = new Set(['0.0.0.0', '::']);
const LOOPBACK = /^(127\..*|::1|localhost)$/;

/**
 * Runs the API server until a signal ends it.
 * @throws ConfigError, DomainError or CliError when it cannot start.
 */
export async function serve(config: AppConfig, terminal: Terminal): Promise<void> {
  const logger = createLogger(config.log);
  const app = await createApp(config, { logger });
  try {
    await app.listen(config.server.port, config.server.host);
  } catch (error) {
    await app.close();
    throw listenFault(error, config.server);
  }
  const { port } = app.getHttpServer().address() as AddressInfo;
  const ended = untilSignal(app, logger, config.server.shutdownTimeoutMs);
  greet(config, port, terminal);
  await ended;
}

/** The first signal ends the server in good order, a second one at once. */
async function untilSignal(app: NestExpressApplication, logger: Logger, shutdownTimeoutMs: number): Promise<void> {
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'uncaught exception');
    process.exit(1);
  });
  const signal = await new Promise<NodeJS.Signals>((resolve) => {
    process.once('SIGTERM', resolve).once('SIGINT', resolve);
  });
  process.once('SIGTERM', () => process.exit(1)).once('SIGINT', () => process.exit(1));
  setTimeout(() => process.exit(1), shutdownTimeoutMs + CLOSING_MS).unref();
  logger.info({ signal }, 'shutting down');
  await app.close();
  logger.info('shut down');
}

function greet(config: AppConfig, port: number, terminal: Terminal): void {
  const { server, database } = config;
  const url = `http://${reachableHost(server.host)}:${port}`;
  const file = apiSecretFile(config);
  const storage = database.url === null ? `SQLite, ${database.sqlitePath}` : 'PostgreSQL, as DATABASE_URL says';
  terminal.print(`Waystation ${VERSION} listens on ${url}`);
  terminal.print(`  secret    ${file} (shown by: waystation secret)`);
  terminal.print(`  database  ${storage}`);
  terminal.print(`  docs      ${url}/docs`);
  terminal.print(`  try       curl -H "Authorization: Bearer $(cat '${file}')" ${url}/threads`);
  if (!LOOPBACK.test(server.host)) {
    terminal.print(`  note      other machines can reach it; names that they use belong into WAYSTATION_ALLOWED_HOSTS`);
  }
}

function reachableHost(host: string): string {
  if (EVERY_ADDRESS.has(host)) return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}

function listenFault(error: unknown, { host, port }: ServerConfig): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const where = `port ${port} of ${host}`;
  if (code === 'EADDRINUSE') {
    return new CliError(
      `Something else uses ${where} already. Stop it, or choose another port: waystation serve --port 8001`,
    );
  }
  if (code === 'EACCES') return new CliError(`This user may not use ${where}. Choose a port from 1024 on.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new CliError(`${host} is not an address of this machine.`);
  return error;
}
