import os from 'node:os';
import path from 'node:path';
import { ApiAddress } from '../common/api-address.js';
import { trimEndOf } from '../common/trim-end.js';
import { AgentConfig } from './agent.config.js';
import { AppConfig } from './app-config.js';
import { ClientConfig } from './client.config.js';
import { ConfigError } from './config-error.js';
import { ContainerConfig } from './container.config.js';
import { addEnvFile, envFileNames } from './env-file.js';
import { EnvReader, type Environment } from './env-reader.js';
import { isTokenMisled, publicUrlOf } from './folder-trust.js';
import { isLoopbackUrl } from './loopback.js';
import { LOG_LEVELS } from './log.config.js';
import { readSeat, type Seat } from './seat.js';
import type { ServerConfig } from './server.config.js';

const MAX_BYTES = 1024 ** 4;
const MAX_COUNT = 1_000_000;
const NO_HOST = /[\s/?#@]/;

/**
 * Adds what `.env` of the working directory says to the environment of this process.
 * @throws ConfigError as `addEnvFile`
 */
export function loadEnvFile(isOwnFolder: boolean): void {
  addEnvFile(process.env, isOwnFolder);
}

/**
 * The configuration that the environment describes.
 * @throws ConfigError with all faults at once: names and rules, never values.
 */
export function loadConfig(env: Environment = process.env): AppConfig {
  const reader = new EnvReader(env);
  const config = new AppConfig();
  readServer(reader, config);
  readDatabase(reader, config);
  readIngestion(reader, config);
  readApprovals(reader, config);
  readChannels(reader, config);
  readDispatch(reader, config);
  readRetention(reader, config);
  readLog(reader, config);
  failOnFaults(reader);
  return config;
}

/**
 * The configuration of this process, with values from the command line in place of the variables of those names.
 * @throws ConfigError with all faults at once.
 */
export function loadConfigWith(overrides: Environment): AppConfig {
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  return loadConfig({ ...process.env, ...Object.fromEntries(given) });
}

/**
 * How to reach a running API server.
 * @param inFile the variables that come from the `.env` of the working directory
 * @throws ConfigError with all faults at once.
 */
export function loadClientConfig(env: Environment = process.env, inFile = envFileNames()): ClientConfig {
  const reader = new EnvReader(env);
  const client = new ClientConfig();
  client.home = readHome(reader);
  readApi(reader, client, client.home);
  client.isAddressFromFile = inFile.has(client.isApiUrlGiven ? 'WAYSTATION_API_URL' : 'WAYSTATION_HOME');
  if (isTokenMisled(client, inFile)) {
    const rule = 'must be in .env if the address of another machine is; a token from elsewhere is not sent there';
    reader.fault('WAYSTATION_TOKEN', rule, null);
  }
  const isSecretOfHome = reader.text('WAYSTATION_SECRET_FILE', null) === null;
  client.publicUrl = publicUrlOf(client, { given: readPublicUrl(reader), isSecretOfHome }, inFile);
  failOnFaults(reader);
  return client;
}

/**
 * The configuration of the agent process, with values from the command line in place of the variables of those names.
 * @throws ConfigError with all faults at once.
 */
export function loadAgentConfig(overrides: Environment = {}, env: Environment = process.env): AgentConfig {
  const given = Object.entries(overrides).filter(([, value]) => value !== undefined);
  const reader = new EnvReader({ ...env, ...Object.fromEntries(given) });
  const agent = new AgentConfig();
  agent.variables = env;
  agent.home = readHome(reader);
  readApi(reader, agent, agent.home);
  readAgent(reader, agent);
  readLog(reader, agent);
  failOnFaults(reader);
  return agent;
}

/**
 * How to create containers for agents.
 * @throws ConfigError with all faults at once.
 */
export function loadContainerConfig(env: Environment = process.env): ContainerConfig {
  const reader = new EnvReader(env);
  const config = new ContainerConfig();
  config.home = readHome(reader);
  config.baseImage = reader.text('WAYSTATION_BASE_IMAGE', config.baseImage);
  failOnFaults(reader);
  return config;
}

/**
 * Whether output may have colours: on terminals that can show them, unless NO_COLOR (https://no-color.org) is set; FORCE_COLOR decides
 * before both.
 */
export function isColourWanted(isTerminal: boolean, env: Environment = process.env): boolean {
  const { FORCE_COLOR: forced, NO_COLOR: none, TERM: terminal } = env;
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return isTerminal && !none && terminal !== 'dumb';
}

/** Whether a terminal moves the cursor when told to. */
export function isScreenObedient(env: Environment = process.env): boolean {
  return env.TERM !== 'dumb';
}

/** The command that opens a file for the person at the keyboard. */
export function editorOf(env: Environment = process.env): string {
  return env.VISUAL || env.EDITOR || (process.platform === 'win32' ? 'notepad' : 'vi');
}

/** Where the person sits who started this process. */
export function seat(env: Environment = process.env): Seat {
  return readSeat(env);
}

function readHome(reader: EnvReader): string {
  return path.resolve(reader.text('WAYSTATION_HOME', path.join(os.homedir(), '.waystation')));
}

function readApi(reader: EnvReader, target: ClientConfig | AgentConfig, home: string): void {
  const given = reader.text('WAYSTATION_API_URL', null);
  target.isApiUrlGiven = given !== null;
  target.apiUrl = given === null ? ApiAddress.ofHome(home).current : trimEndOf(given, '/');
  if (!isUrlOf(target.apiUrl, ['http:', 'https:'])) {
    reader.fault('WAYSTATION_API_URL', 'must be an http:// or https:// URL', null);
  }
  target.token = reader.secret('WAYSTATION_TOKEN');
}

function readAgent(reader: EnvReader, agent: AgentConfig): void {
  agent.apiForward = reader.text('WAYSTATION_API_FORWARD', agent.apiForward);
  if (agent.apiForward !== null) checkForward(reader, agent.apiForward, agent.apiUrl);
  agent.host = reader.text('WAYSTATION_AGENT_HOST', agent.host);
  if (NO_HOST.test(agent.host)) {
    reader.fault('WAYSTATION_AGENT_HOST', 'must be a host name or an IP address', null);
  }
  agent.port = reader.integer('WAYSTATION_AGENT_PORT', agent.port, { min: 0, max: 65_535 });
  const publicUrl = reader.text('WAYSTATION_AGENT_URL', agent.publicUrl);
  agent.publicUrl = publicUrl === null ? null : trimEndOf(publicUrl, '/');
  if (agent.publicUrl !== null && !isUrlOf(agent.publicUrl, ['http:', 'https:'])) {
    reader.fault('WAYSTATION_AGENT_URL', 'must be an http:// or https:// URL', null);
  }
  agent.outsidePorts = readOutsidePorts(reader);
  agent.outsideApiUrl = reader.text('WAYSTATION_OUTSIDE_API_URL', agent.outsideApiUrl);
  agent.allowedHosts = readAllowedHosts(reader, agent.allowedHosts);
  const stateDir = reader.text('WAYSTATION_STATE_DIR', agent.stateDir);
  agent.stateDir = stateDir === null ? null : path.resolve(stateDir);
  agent.shutdownTimeoutMs = readShutdownTimeout(reader, agent.shutdownTimeoutMs);
  const ttl = { min: 5, max: 3600 };
  agent.leaseTtlSeconds = reader.integer('WAYSTATION_RUN_LEASE_SECONDS', agent.leaseTtlSeconds, ttl);
}

function readOutsidePorts(reader: EnvReader): ReadonlyMap<number, number> {
  const pairs = reader.list('WAYSTATION_OUTSIDE_PORTS', []).map((pair) => /^(\d{1,5})=(\d{1,5})$/.exec(pair));
  if (pairs.includes(null)) {
    return reader.fault('WAYSTATION_OUTSIDE_PORTS', 'must be pairs like 9100=9300, separated by commas', new Map());
  }
  return new Map(pairs.map((found) => [Number(found?.[1]), Number(found?.[2])]));
}

function checkForward(reader: EnvReader, target: string, apiUrl: string): void {
  const isTarget = /^unix:\/|^tcp:\/\/[^/]+:\d+$/.test(target) && URL.canParse(target);
  if (!isTarget) reader.fault('WAYSTATION_API_FORWARD', 'must be unix:/path or tcp://host:port', null);
  if (!isLoopbackUrl(apiUrl)) {
    reader.fault('WAYSTATION_API_FORWARD', 'needs a loopback address in WAYSTATION_API_URL', null);
  }
}

function readServer(reader: EnvReader, { server, security }: AppConfig): void {
  server.host = reader.text('WAYSTATION_HOST', server.host);
  if (NO_HOST.test(server.host)) reader.fault('WAYSTATION_HOST', 'must be a host name or an IP address', null);
  server.port = reader.integer('WAYSTATION_PORT', server.port, { min: 0, max: 65_535 });
  server.home = readHome(reader);
  server.allowedHosts = readAllowedHosts(reader, server.allowedHosts);
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

function readAllowedHosts(reader: EnvReader, fallback: readonly string[]): string[] {
  const hosts = reader.list('WAYSTATION_ALLOWED_HOSTS', fallback).map((host) => host.toLowerCase());
  const rule = 'must be host names separated by commas, without scheme or wildcard';
  if (hosts.some((host) => /[\s/?#@*]/.test(host))) reader.fault('WAYSTATION_ALLOWED_HOSTS', rule, null);
  return hosts;
}

function readPublicUrl(reader: EnvReader): string | null {
  const given = reader.text('WAYSTATION_PUBLIC_URL', null);
  if (given === null) return null;
  const isFine = isUrlOf(given, ['http:', 'https:']) && /^https?:\/\/[^\s/?#@\\]+\/?$/i.test(given);
  if (isFine) return new URL(given).origin;
  return reader.fault('WAYSTATION_PUBLIC_URL', 'must be an http:// or https:// URL without path, query or user', null);
}

function readShutdownTimeout(reader: EnvReader, fallbackMs: number): number {
  return reader.integer('WAYSTATION_SHUTDOWN_TIMEOUT_MS', fallbackMs, { min: 0, max: 600_000 });
}

function readDatabase(reader: EnvReader, { database, server }: AppConfig): void {
  database.url = reader.secret('DATABASE_URL');
  if (database.url !== null && !isUrlOf(database.url, ['postgres:', 'postgresql:'])) {
    reader.fault('DATABASE_URL', 'must be a postgres:// or postgresql:// URL', null);
  }
  database.sqlitePath = path.resolve(reader.text('WAYSTATION_SQLITE_PATH', path.join(server.home, 'waystation.db')));
  database.poolSize = reader.integer('WAYSTATION_DATABASE_POOL_SIZE', database.poolSize, { min: 2, max: 1000 });
}

function readIngestion(reader: EnvReader, { ingestion }: AppConfig): void {
  const bytes = { min: 1024, max: MAX_BYTES };
  const count = { min: 1, max: MAX_COUNT };
  // A body is held as one string while it is parsed, and V8 ends strings at 512 MiB.
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
  const range = { min: 100, max: 600_000 };
  channels.platformTimeoutMs = reader.integer('WAYSTATION_PLATFORM_TIMEOUT_MS', channels.platformTimeoutMs, range);
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

function readLog(reader: EnvReader, { log }: Pick<AppConfig, 'log'>): void {
  log.level = reader.choice('WAYSTATION_LOG_LEVEL', log.level, LOG_LEVELS);
  log.isPretty = reader.flag('WAYSTATION_LOG_PRETTY', process.stderr.isTTY === true);
}

function isUrlOf(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol);
}

function failOnFaults(reader: EnvReader): void {
  if (reader.faults.length > 0) throw new ConfigError(reader.faults);
}
