import os from 'node:os';
import path from 'node:path';
import { ApiAddress } from '../common/api-address.js';
import { homeFault } from '../common/home-safety.js';
import { trimEndOf } from '../common/trim-end.js';
import { defaultHome } from '../common/user-home.js';
import { AgentConfig } from './agent.config.js';
import { readAgent } from './agent-settings.js';
import { AppConfig } from './app-config.js';
import { ClientConfig } from './client.config.js';
import { ConfigError } from './config-error.js';
import { ContainerConfig } from './container.config.js';
import type { DatabaseConfig } from './database.config.js';
import { addEnvFile, envFile, envFileWithout } from './env-file.js';
import { EnvReader, type Environment } from './env-reader.js';
import { wouldLeakToken, publicUrlOf } from './folder-trust.js';
import { LOG_LEVELS } from './log.config.js';
import { readLaunchContext, type LaunchContext } from './launch-context.js';
import type { ServerConfig } from './server.config.js';
import { isUrlOf, NO_HOST, readHosts, readShutdownTimeout } from './shared-settings.js';

const MAX_BYTES = 1024 ** 4;
const MAX_COUNT = 1_000_000;

/**
 * Adds the settings of Waystation in `.env` of the working directory to the environment of this process.
 * @throws ConfigError as `addEnvFile`
 */
export function loadEnvFile(): void {
  addEnvFile(process.env);
}

/**
 * The configuration from the environment.
 * @param file the part of the environment that comes from the `.env` of the working directory
 * @throws ConfigError with all faults at once: names and rules, never values.
 */
export function loadConfig(env: Environment = process.env, file = envFile()): AppConfig {
  const reader = new EnvReader(env, file);
  const config = new AppConfig();
  readServer(reader, config);
  readDatabase(reader, config);
  readIngestion(reader, config);
  readApprovals(reader, config);
  readChannels(reader, config);
  readNotices(reader, config);
  readDispatch(reader, config);
  readRetention(reader, config);
  readRuns(reader, config);
  readLog(reader, config);
  failOnFaults(reader);
  return config;
}

/**
 * The configuration of this process, with values from the command line replacing variables.
 * @throws ConfigError with all faults at once.
 */
export function loadConfigWith(overrides: Environment): AppConfig {
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return loadConfig({ ...process.env, ...Object.fromEntries(given) }, envFileWithout(given.map(([name]) => name)));
}

/**
 * The settings to reach a running API server.
 * @param file the part of the environment that comes from the `.env` of the working directory
 * @throws ConfigError with all faults at once.
 */
export function loadClientConfig(env: Environment = process.env, file = envFile()): ClientConfig {
  const reader = new EnvReader(env, file);
  const client = new ClientConfig();
  readAccess(reader, client);
  client.publicUrl = publicUrlOf(client, readPublicUrl(reader), reader);
  failOnFaults(reader);
  return client;
}

/**
 * The configuration of the agent process, with values from the command line replacing variables.
 * @throws ConfigError with all faults at once.
 */
export function loadAgentConfig(overrides: Environment = {}, env: Environment = process.env): AgentConfig {
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  const reader = new EnvReader({ ...env, ...Object.fromEntries(given) }, envFile());
  const agent = new AgentConfig();
  agent.variables = env;
  readAccess(reader, agent);
  readAgent(reader, agent);
  readLog(reader, agent);
  failOnFaults(reader);
  return agent;
}

/**
 * The settings for agents' containers.
 * @throws ConfigError with all faults at once.
 */
export function loadContainerConfig(env: Environment = process.env): ContainerConfig {
  const reader = new EnvReader(env, envFile());
  const config = new ContainerConfig();
  config.home = readHome(reader);
  config.baseImage = reader.text('WAYSTATION_BASE_IMAGE', config.baseImage);
  failOnFaults(reader);
  return config;
}

/**
 * Whether output may have colours: on terminals that support them, unless NO_COLOR (https://no-color.org) is set; FORCE_COLOR overrides
 * both.
 */
export function isColourWanted(isTerminal: boolean, env: Environment = process.env): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal } = env;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTerminal && !none && terminal !== 'dumb';
}

/** The command that opens a file in the user's editor. */
export function editorOf(env: Environment = process.env): string {
  return env.VISUAL || env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi');
}

/** The user's folder of another program: where its variable says, otherwise below the home directory. */
export function foreignFolder(variable: string, name: string, env: Environment = process.env): string {
  return path.resolve(env[variable] || path.join(os.homedir(), name));
}

/** How and from where this process was started. */
export function launchContext(env: Environment = process.env): LaunchContext {
  return readLaunchContext(env);
}

function readHome(reader: EnvReader): string {
  const given = reader.text('WAYSTATION_HOME', null) ?? defaultHome();
  if (given === null) {
    return reader.fault('WAYSTATION_HOME', 'must name a folder: this user has no home directory', '');
  }
  const home = path.resolve(given);
  const fault = homeFault(home);
  if (fault !== null) reader.fault('WAYSTATION_HOME', fault, null);
  return home;
}

function readAccess(reader: EnvReader, target: ClientConfig | AgentConfig): void {
  target.home = readHome(reader);
  const given = reader.text('WAYSTATION_API_URL', null);
  target.isApiUrlGiven = given !== null;
  target.apiUrl = given === null ? ApiAddress.ofHome(target.home).current : trimEndOf(given, '/');
  if (!isUrlOf(target.apiUrl, ['http:', 'https:'])) {
    reader.fault('WAYSTATION_API_URL', 'must be an http:// or https:// URL', null);
  }
  target.token = reader.secret('WAYSTATION_TOKEN');
  target.isAddressFromFile = reader.isOfFile(target.isApiUrlGiven ? 'WAYSTATION_API_URL' : 'WAYSTATION_HOME');
  if (!wouldLeakToken(target, reader)) return;
  const rule =
    'must be in .env if the address is, unless the server of your home directory listens there; another token is not sent there';
  reader.fault('WAYSTATION_TOKEN', rule, null);
}

function readServer(reader: EnvReader, { server, security }: AppConfig): void {
  server.host = reader.text('WAYSTATION_HOST', server.host);
  if (NO_HOST.test(server.host)) reader.fault('WAYSTATION_HOST', 'must be a host name or an IP address', null);
  server.port = reader.integer('WAYSTATION_PORT', server.port, { min: 0, max: 65_535 });
  server.home = readHome(reader);
  server.isHomeFromFile = reader.isOfFile('WAYSTATION_HOME');
  server.allowedHosts = readHosts(reader, 'WAYSTATION_ALLOWED_HOSTS', server.allowedHosts);
  server.publicUrl = readPublicUrl(reader);
  server.shutdownTimeoutMs = readShutdownTimeout(reader, server.shutdownTimeoutMs);
  readReceiver(reader, server);
  const secretFile = reader.text('WAYSTATION_SECRET_FILE', security.secretFile);
  security.secretFile = secretFile === null ? null : path.resolve(secretFile);
}

function readReceiver(reader: EnvReader, server: ServerConfig): void {
  server.receiverHost = reader.text('WAYSTATION_RECEIVER_HOST', server.receiverHost);
  if (NO_HOST.test(server.receiverHost)) {
    reader.fault('WAYSTATION_RECEIVER_HOST', 'must be a host name or an IP address', null);
  }
  if (reader.text('WAYSTATION_RECEIVER_PORT', null) === null) return;
  server.receiverPort = reader.integer('WAYSTATION_RECEIVER_PORT', 0, { min: 0, max: 65_535 });
  if (server.receiverPort !== 0 && server.receiverPort === server.port) {
    reader.fault('WAYSTATION_RECEIVER_PORT', 'must differ from WAYSTATION_PORT', null);
  }
}

function readPublicUrl(reader: EnvReader): string | null {
  const given = reader.text('WAYSTATION_PUBLIC_URL', null);
  if (given === null) return null;
  const isFine = isUrlOf(given, ['http:', 'https:']) && /^https?:\/\/[^\s/?#@\\]+\/?$/i.test(given);
  if (isFine) return new URL(given).origin;
  return reader.fault('WAYSTATION_PUBLIC_URL', 'must be an http:// or https:// URL without path, query or user', null);
}

function readDatabase(reader: EnvReader, { database, server }: AppConfig): void {
  database.url = reader.secret('DATABASE_URL');
  if (database.url !== null && !isUrlOf(database.url, ['postgres:', 'postgresql:'])) {
    reader.fault('DATABASE_URL', 'must be a postgres:// or postgresql:// URL', null);
  }
  checkSources(reader, database);
  database.sqlitePath = path.resolve(reader.text('WAYSTATION_SQLITE_PATH', path.join(server.home, 'waystation.db')));
  database.poolSize = reader.integer('WAYSTATION_DATABASE_POOL_SIZE', database.poolSize, { min: 2, max: 1000 });
}

/** A database named in `.env` gets no password from elsewhere; another database gets no settings from `.env`. */
function checkSources(reader: EnvReader, database: DatabaseConfig): void {
  database.isUrlFromFile = reader.isOfFile('DATABASE_URL');
  if (database.url === null) return;
  for (const name of reader.refused(/^PG/)) reader.text(name, null);
  const hasPassword = !URL.canParse(database.url) || new URL(database.url).password !== '';
  if (!database.isUrlFromFile || hasPassword || reader.isOfFile('PGPASSWORD')) return;
  if (reader.text('PGPASSWORD', null) === null) return;
  reader.fault('PGPASSWORD', 'must be in .env if DATABASE_URL is; another password is not sent there', null);
}

function readIngestion(reader: EnvReader, { ingestion }: AppConfig): void {
  const bytes = { min: 1024, max: MAX_BYTES };
  const count = { min: 1, max: MAX_COUNT };
  // A body is parsed as one string, which V8 limits to 512 MiB.
  const bodyBytes = { min: 1024, max: 512 * 1024 * 1024 - 64 };
  ingestion.maxBodyBytes = reader.integer('WAYSTATION_MAX_BODY_BYTES', ingestion.maxBodyBytes, bodyBytes);
  ingestion.maxEventsPerBatch = reader.integer('WAYSTATION_MAX_EVENTS_PER_BATCH', ingestion.maxEventsPerBatch, count);
  ingestion.queueMaxRequests = reader.integer('WAYSTATION_QUEUE_MAX_REQUESTS', ingestion.queueMaxRequests, count);
  ingestion.queueMaxBytes = reader.integer('WAYSTATION_QUEUE_MAX_BYTES', ingestion.queueMaxBytes, bytes);
  ingestion.cacheBytes = reader.integer('WAYSTATION_CACHE_BYTES', ingestion.cacheBytes, { min: 0, max: MAX_BYTES });
}

function readApprovals(reader: EnvReader, { approvals }: AppConfig): void {
  approvals.timeoutSeconds = reader.integer('WAYSTATION_APPROVAL_TIMEOUT_SECONDS', approvals.timeoutSeconds, {
    min: 0,
    max: 31_536_000,
  });
  approvals.remindSeconds = reader.reminders('WAYSTATION_APPROVAL_REMIND_SECONDS', approvals.remindSeconds);
}

function readDispatch(reader: EnvReader, { dispatch }: AppConfig): void {
  const limit = { min: 1, max: 31_536_000 };
  dispatch.runLimitSeconds = reader.integer('WAYSTATION_RUN_LIMIT_SECONDS', dispatch.runLimitSeconds, limit);
  dispatch.leaseSeconds = reader.integer('WAYSTATION_LEASE_SECONDS', dispatch.leaseSeconds, { min: 2, max: 3600 });
}

function readChannels(reader: EnvReader, { channels }: AppConfig): void {
  const apiUrls = reader.namesLike(/^WAYSTATION_([A-Z0-9_]+)_API_URL$/).map(([name, platform]) => {
    const url = trimEndOf(reader.text(name, ''), '/');
    const isFine = isUrlOf(url, ['http:', 'https:']) && !/[?#@\s]/.test(url);
    if (!isFine) reader.fault(name, 'must be an http:// or https:// URL without query or user', null);
    return [platform.toLowerCase(), url];
  });
  channels.apiUrls = Object.fromEntries(apiUrls);
  // Lower-case names take precedence, as in other programs.
  const proxy = (name: string) => reader.text(name.toLowerCase(), null) ?? reader.text(name, null);
  channels.proxies = { http: proxy('HTTP_PROXY'), https: proxy('HTTPS_PROXY'), exceptions: proxy('NO_PROXY') };
  const range = { min: 100, max: 600_000 };
  channels.platformTimeoutMs = reader.integer('WAYSTATION_PLATFORM_TIMEOUT_MS', channels.platformTimeoutMs, range);
  const bytes = { min: 1, max: 100 * 1024 * 1024 };
  channels.attachmentMaxBytes = reader.integer('WAYSTATION_ATTACHMENT_MAX_BYTES', channels.attachmentMaxBytes, bytes);
  channels.gatherMs = reader.integer('WAYSTATION_GATHER_MS', channels.gatherMs, { min: 0, max: 10_000 });
}

function readNotices(reader: EnvReader, { notices }: AppConfig): void {
  const hosts = readHosts(reader, 'WAYSTATION_NOTICE_HOSTS', notices.hosts);
  notices.hosts = hosts.map((host) => host.replace(/^\[|\]$/g, ''));
}

function readRetention(reader: EnvReader, { retention }: AppConfig): void {
  retention.days = reader.integer('WAYSTATION_RETENTION_DAYS', retention.days, { min: 0, max: 36_500 });
  retention.intervalSeconds = reader.integer('WAYSTATION_RETENTION_INTERVAL_SECONDS', retention.intervalSeconds, {
    min: 1,
    max: 86_400,
  });
  retention.channelMessageDays = reader.integer('WAYSTATION_CHANNEL_MESSAGE_DAYS', retention.channelMessageDays, {
    min: 7,
    max: 36_500,
  });
}

function readRuns(reader: EnvReader, { runs }: AppConfig): void {
  const limit = { min: 1, max: 31_536_000 };
  runs.silentAfterSeconds = reader.integer('WAYSTATION_SILENT_AFTER_SECONDS', runs.silentAfterSeconds, limit);
}

function readLog(reader: EnvReader, { log }: Pick<AppConfig, 'log'>): void {
  log.level = reader.choice('WAYSTATION_LOG_LEVEL', log.level, LOG_LEVELS);
  log.isPretty = reader.flag('WAYSTATION_LOG_PRETTY', process.stderr.isTTY === true);
}

function failOnFaults(reader: EnvReader): void {
  if (reader.faults.length > 0) throw new ConfigError(reader.faults);
}
