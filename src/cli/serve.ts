import { createHash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createLogger } from '../common/logger.js';
import { shellWord } from '../common/shell-word.js';
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
import { listenError, reachableHost, type PortHint } from './listen-error.js';
import { createHome, warnIfOthersCanRead } from './create-home.js';
import { requestSentence } from './request-sentence.js';
import { explainFailedStart, checkAvailability } from './second-server.js';
import { ServerAnnouncement } from './server-announcement.js';
import type { Terminal } from './terminal.js';
import { shutDownOnSignal } from './shutdown-on-signal.js';
import { userName } from './user-name.js';

const HINTS = {
  port: (free: number) => `waystation serve --port ${free}`,
  receiver: (free: number) => `WAYSTATION_RECEIVER_PORT=${free}`,
};
const LOOPBACK = /^(127\..*|::1|localhost)$/;

export interface ServeOptions extends Pick<CreateAppOptions, 'isWithoutFastLane'> {
  /** Whether to print the addresses as JSON, for programs. */
  isJson: boolean;
}

/** The server's addresses, as seen from this machine. */
interface Addresses {
  url: string;
  /** Null if there is no receiver. */
  receiverUrl: string | null;
}

/**
 * Runs the API server until a signal ends it.
 * @throws ConfigError, DomainError or CliError when it cannot start.
 */
export async function serve(config: AppConfig, terminal: Terminal, options: ServeOptions): Promise<void> {
  const { isJson, isWithoutFastLane } = options;
  const { server, database, security } = config;
  await checkAvailability(config, HINTS);
  // With its database and secret elsewhere, the server does not need the home directory.
  if (database.url === null || security.secretFile === null) createHome(server.home);
  const logger = createLogger({ ...config.log, sentenceOf: requestSentence });
  warnIfOthersCanRead(server.home, logger);
  const app = await createApp(config, { logger, isWithoutFastLane }).catch((error: unknown) =>
    explainFailedStart(config, error),
  );
  const addresses = await listen(app, config);
  const adapter = app.getHttpAdapter() as unknown as ApiHttpAdapter;
  const socket = await ApiSocket.open(adapter, apiSocketFile(server.home), logger);
  const sqlitePath = database.url === null ? database.sqlitePath : null;
  const info = { url: addresses.url, version: VERSION, database: sqlitePath };
  const record = { ...info, public_url: server.publicUrl, storage: storageKey(database) };
  const announcement = new ServerAnnouncement(server.home, record, logger);
  announcement.start();
  const close = async () => {
    await announcement.stop();
    socket?.close();
    await app.close();
  };
  const ended = shutDownOnSignal({ logger, shutdownTimeoutMs: server.shutdownTimeoutMs, close });
  // Contains no secret: the output may be kept as a log.
  const facts = { ...info, pid: process.pid, secret_file: apiSecretFile(config), receiver_url: addresses.receiverUrl };
  if (isJson) terminal.print(JSON.stringify(facts));
  else for (const line of await greeting(app, config, addresses, terminal)) terminal.print(line);
  await ended;
}

async function listen(app: NestExpressApplication, config: AppConfig): Promise<Addresses> {
  const { host, port, receiverHost, receiverPort: wanted } = config.server;
  const orClose = <T>(listening: Promise<T>, at: { host: string; port: number }, hint: PortHint) =>
    listening.catch(async (error: unknown) => {
      await app.close();
      throw listenError(error, at, hint);
    });
  await orClose(app.listen(port, host), { host, port }, HINTS.port);
  const receiverAt = { host: receiverHost, port: wanted ?? 0 };
  const receiverPort = await orClose(openReceiver(app, config), receiverAt, HINTS.receiver);
  const address = app.getHttpServer().address() as AddressInfo;
  return {
    url: `http://${reachableHost(host)}:${address.port}`,
    receiverUrl: receiverPort === null ? null : `http://${reachableHost(receiverHost)}:${receiverPort}`,
  };
}

/** Identifies the storage without naming a user or a password. */
function storageKey({ url, sqlitePath }: AppConfig['database']): string {
  const { host, pathname } = url === null ? { host: '', pathname: sqlitePath } : new URL(url);
  return createHash('sha256').update(`${host} ${pathname}`).digest('hex').slice(0, 16);
}

async function greeting(
  app: NestExpressApplication,
  config: AppConfig,
  { url, receiverUrl }: Addresses,
  terminal: Terminal,
): Promise<string[]> {
  const { server, database } = config;
  const file = apiSecretFile(config);
  const consoleUrl = server.publicUrl ?? url;
  // Only on a terminal: other output is often kept as a log that others can read.
  const link = terminal.width === undefined ? null : await signInLink(app, consoleUrl).catch(() => null);
  const lines = [
    `Waystation ${VERSION} listens on ${url}`,
    `  secret    ${file} ${asTyped('(shown by: waystation secret)')}`,
    `  database  ${database.url === null ? `SQLite, ${database.sqlitePath}` : 'PostgreSQL, as DATABASE_URL says'}`,
    `  docs      ${url}/docs`,
    `  try       curl -H "Authorization: Bearer $(cat ${shellWord(file)})" ${url}/threads`,
    LOOPBACK.test(server.host)
      ? null
      : '  note      other machines can reach it; add the names that they use to WAYSTATION_ALLOWED_HOSTS',
    receiverUrl && `  receiver  ${receiverUrl}/v1/channels/webhook/, and nothing else`,
    `  console   ${link ?? `${consoleUrl}/console/ ${asTyped('(sign in with: waystation open)')}`}`,
    link && asTyped('            (signs in once, within 10 minutes; later: waystation open)'),
  ];
  return lines.filter((line) => line !== null);
}

/** Calls the service directly: an API request would show in the log, though the person made none. */
async function signInLink(app: NestExpressApplication, url: string): Promise<string> {
  const order = { scope: null, name: userName() ?? null, expiresInSeconds: PRINTED_SECONDS };
  const { code } = await app.get(SessionsService).mintCode(order, MACHINE);
  return linkWith(url, code);
}
