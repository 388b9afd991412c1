import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createLogger, type Logger } from '../common/logger.js';
import { VERSION } from '../common/version.js';
import { apiSecretFile } from '../config/api-secret.js';
import { apiSocketFile } from '../config/api-socket-file.js';
import type { AppConfig } from '../config/app-config.js';
import { createApp, openReceiver, type CreateAppOptions } from '../create-app.js';
import { ApiSocket } from '../http/api-socket.js';
import type { ApiHttpAdapter } from '../http/api-http.adapter.js';
import { SessionsService } from '../modules/tokens/sessions/sessions.service.js';
import { MACHINE } from '../modules/tokens/token-authenticator.js';
import { asTyped } from '../config/as-typed.js';
import { linkWith, PRINTED_SECONDS } from './console-link.js';
import { listenFault, reachableHost } from './listen-fault.js';
import { makeHome, warnOfReaders } from './make-home.js';
import { explainFailedStart, refuseWhatIsTaken } from './second-server.js';
import { ServerAnnouncement } from './server-announcement.js';
import type { Terminal } from './terminal.js';
import { untilSignal } from './until-signal.js';
import { userName } from './user-name.js';

const HINTS = {
  port: (free: number) => `waystation serve --port ${free}`,
  receiver: (free: number) => `WAYSTATION_RECEIVER_PORT=${free}`,
};
const LOOPBACK = /^(127\..*|::1|localhost)$/;

export interface ServeOptions extends Pick<CreateAppOptions, 'isWithoutFastLane'> {
  /** Whether it prints where it listens as JSON, for programs. */
  isJson: boolean;
}

/**
 * Runs the API server until a signal ends it.
 * @throws ConfigError, DomainError or CliError when it cannot start.
 */
export async function serve(config: AppConfig, terminal: Terminal, options: ServeOptions): Promise<void> {
  await refuseWhatIsTaken(config, HINTS);
  // Without a file of its own in there a server does without it.
  if (config.database.url === null || config.security.secretFile === null) makeHome(config.server.home);
  const logger = createLogger(config.log);
  warnOfReaders(config.server.home, logger);
  const { isJson, isWithoutFastLane } = options;
  const app = await createApp(config, { logger, isWithoutFastLane }).catch((error: unknown) =>
    explainFailedStart(config, error),
  );
  try {
    await app.listen(config.server.port, config.server.host);
  } catch (error) {
    await app.close();
    throw listenFault(error, config.server, HINTS.port);
  }
  const receiverPort = await openReceiverOf(app, config);
  const { port } = app.getHttpServer().address() as AddressInfo;
  const { shutdownTimeoutMs, home } = config.server;
  const adapter = app.getHttpAdapter() as unknown as ApiHttpAdapter;
  const socket = await ApiSocket.open(adapter, apiSocketFile(home), logger);
  const announcement = announce(config, port, logger);
  const close = async () => {
    await announcement.end();
    socket?.close();
    await app.close();
  };
  const ended = untilSignal({ logger, shutdownTimeoutMs, close });
  if (isJson) terminal.print(JSON.stringify(whereabouts(config, port, receiverPort)));
  else await greetAll(app, config, { port, receiverPort }, terminal);
  await ended;
}

async function greetAll(
  app: NestExpressApplication,
  config: AppConfig,
  { port, receiverPort }: { port: number; receiverPort: number | null },
  terminal: Terminal,
): Promise<void> {
  greet(config, port, terminal);
  for (const line of await consoleLines(app, config, port, terminal)) terminal.print(asTyped(line));
  if (receiverPort !== null) greetPlatforms(config, receiverPort, terminal);
}

/** For programs, in the words of `run/server.json`; without any secret, as the output may be kept as a log. */
function whereabouts(config: AppConfig, port: number, receiverPort: number | null): object {
  const { server, database } = config;
  return {
    url: `http://${reachableHost(server.host)}:${port}`,
    pid: process.pid,
    version: VERSION,
    database: database.url === null ? database.sqlitePath : null,
    secret_file: apiSecretFile(config),
    receiver_url: receiverPort === null ? null : `http://${reachableHost(server.receiverHost)}:${receiverPort}`,
  };
}

async function openReceiverOf(app: NestExpressApplication, config: AppConfig): Promise<number | null> {
  try {
    return await openReceiver(app, config);
  } catch (error) {
    await app.close();
    const { receiverHost: host, receiverPort } = config.server;
    throw listenFault(error, { host, port: receiverPort ?? 0 }, HINTS.receiver);
  }
}

function announce({ server, database }: AppConfig, port: number, logger: Logger): ServerAnnouncement {
  const url = `http://${reachableHost(server.host)}:${port}`;
  const sqlitePath = database.url === null ? database.sqlitePath : null;
  const storage = storageKey(database);
  const record = { url, public_url: server.publicUrl, version: VERSION, database: sqlitePath, storage };
  const announcement = new ServerAnnouncement(server.home, record, logger);
  announcement.begin();
  return announcement;
}

/** Tells storages apart without naming a user or a password. */
function storageKey({ url, sqlitePath }: AppConfig['database']): string {
  const { host, pathname } = url === null ? { host: '', pathname: sqlitePath } : new URL(url);
  return createHash('sha256').update(`${host} ${pathname}`).digest('hex').slice(0, 16);
}

function greetPlatforms({ server }: AppConfig, port: number, terminal: Terminal): void {
  const url = `http://${reachableHost(server.receiverHost)}:${port}`;
  terminal.print(`  receiver  ${url}/v1/channels/webhook/, and nothing else`);
}

/**
 * The console, on a terminal with a link that signs in. Nowhere else: what is not a terminal is often kept as a log, and read by others.
 */
async function consoleLines(
  app: NestExpressApplication,
  config: AppConfig,
  port: number,
  terminal: Terminal,
): Promise<string[]> {
  const url = config.server.publicUrl ?? `http://${reachableHost(config.server.host)}:${port}`;
  const isSeen = terminal.width !== undefined;
  const link = isSeen ? await linkFor(app, url).catch(() => null) : null;
  if (link === null) return [`  console   ${url}/console/ (sign in with: waystation open)`];
  return [`  console   ${link}`, '            (signs in once, within 10 minutes; later: waystation open)'];
}

/** Without a request to the own API, which the log would show to a person who has asked for nothing. */
async function linkFor(app: NestExpressApplication, url: string): Promise<string> {
  const order = { scope: null, name: userName() ?? null, expiresInSeconds: PRINTED_SECONDS };
  const { code } = await app.get(SessionsService).mintCode(order, MACHINE);
  return linkWith(url, code);
}

function greet(config: AppConfig, port: number, terminal: Terminal): void {
  const { server, database } = config;
  const url = `http://${reachableHost(server.host)}:${port}`;
  const file = apiSecretFile(config);
  const storage = database.url === null ? `SQLite, ${database.sqlitePath}` : 'PostgreSQL, as DATABASE_URL says';
  terminal.print(`Waystation ${VERSION} listens on ${url}`);
  terminal.print(asTyped(`  secret    ${file} (shown by: waystation secret)`));
  terminal.print(`  database  ${storage}`);
  terminal.print(`  docs      ${url}/docs`);
  terminal.print(`  try       curl -H "Authorization: Bearer $(cat '${file}')" ${url}/threads`);
  if (!LOOPBACK.test(server.host)) {
    terminal.print(`  note      other machines can reach it; add the names that they use to WAYSTATION_ALLOWED_HOSTS`);
  }
}
