import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createLogger } from '../common/logger.js';
import { VERSION } from '../common/version.js';
import { apiSecretFile } from '../config/api-secret.js';
import { apiSocketFile } from '../config/api-socket-file.js';
import type { AppConfig } from '../config/app-config.js';
import { createApp, openReceiver } from '../create-app.js';
import { ApiSocket } from '../http/api-socket.js';
import type { MultiPortAdapter } from '../http/multi-port.adapter.js';
import { listenFault, reachableHost } from './listen-fault.js';
import type { Terminal } from './terminal.js';
import { untilSignal } from './until-signal.js';

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
    throw listenFault(error, config.server, 'waystation serve --port 8001');
  }
  const receiverPort = await openReceiverOf(app, config);
  const { port } = app.getHttpServer().address() as AddressInfo;
  const { shutdownTimeoutMs, home } = config.server;
  const adapter = app.getHttpAdapter() as unknown as MultiPortAdapter;
  const socket = await ApiSocket.open(adapter, apiSocketFile(home), logger);
  const close = () => {
    socket?.close();
    return app.close();
  };
  const ended = untilSignal({ logger, shutdownTimeoutMs, close });
  greet(config, port, terminal);
  if (receiverPort !== null) greetPlatforms(config, receiverPort, terminal);
  await ended;
}

async function openReceiverOf(app: NestExpressApplication, config: AppConfig): Promise<number | null> {
  try {
    return await openReceiver(app, config);
  } catch (error) {
    await app.close();
    const { receiverHost: host, receiverPort } = config.server;
    throw listenFault(error, { host, port: receiverPort ?? 0 }, 'WAYSTATION_RECEIVER_PORT=8001');
  }
}

function greetPlatforms({ server }: AppConfig, port: number, terminal: Terminal): void {
  const url = `http://${reachableHost(server.receiverHost)}:${port}`;
  terminal.print(`  receiver  ${url}/v1/channels/webhook/, and nothing else`);
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
    terminal.print(`  note      other machines can reach it; add the names that they use to WAYSTATION_ALLOWED_HOSTS`);
  }
}
