import { unwatchFile, watchFile } from 'node:fs';
import { createLogger, type Logger } from '../common/logger.js';
import { VERSION } from '../common/version.js';
import type { AgentConfig } from '../config/agent.config.js';
import { PortError, startAgent } from '../create-agent.js';
import { DefinitionError, faultLine, type Definition } from '../modules/triggers/definition/definition.js';
import { readDefinition } from '../modules/triggers/definition/definition-reader.js';
import { missingPrograms } from '../modules/triggers/definition/missing-programs.js';
import type { AgentPorts } from '../modules/triggers/webhooks/agent-ports.js';
import { checkAgentToken } from './agent-token.js';
import { tryLines, triggerLines } from './definition-lines.js';
import { openForwarder } from './api-forwarder.js';
import { tokenFor } from './connect.js';
import { listenError, reachableHost } from './listen-error.js';
import { createHome, warnIfOthersCanRead } from './create-home.js';
import { printable } from './printable.js';
import { runSentence } from './run-sentence.js';
import type { Terminal } from './terminal.js';
import { shutDownOnSignal } from './shutdown-on-signal.js';

/** The definition file's times are polled; watching the folder would fail in containers and on network drives. */
const LOOK_MS = 500;
/** Limit for stopping programs that have not finished in time, by force if necessary. */
const STOPPING_MS = 10_000;

/**
 * Runs the agent process until a signal ends it.
 * @throws ConfigError, DomainError or CliError when it cannot start.
 */
export async function runAgentProcess(config: AgentConfig, definition: Definition, terminal: Terminal): Promise<void> {
  const logger = createLogger({ ...config.log, sentenceOf: runSentence });
  warnIfOthersCanRead(config.home, logger);
  // A container has both, and no home directory.
  if (config.token === null || config.stateDir === null) createHome(config.home);
  const apiToken = tokenFor(config);
  const { host } = config;
  await forwardToApi(config);
  const tokenName = config.token === null ? 'the machine secret' : 'WAYSTATION_TOKEN';
  const names = definition.agents.map(({ name }) => name);
  await checkAgentToken(config.apiUrl, apiToken, names, tokenName);
  const shutdownTimeoutMs = config.shutdownTimeoutMs + STOPPING_MS;
  const { app, ports, reload } = await startAgent({ config, definition, apiToken, logger }).catch((error: unknown) => {
    if (!(error instanceof PortError)) throw error;
    throw listenError(
      error.cause,
      { host, port: error.port },
      (free) => `the \`port\` of the trigger, or --port ${free}`,
    );
  });
  const { file } = definition;
  const read = () => readDefinition(file, { variables: config.variables, defaultPort: config.port });
  const unwatch = config.isWatching ? watchDefinition({ file, logger, read, apply: reload }) : async () => undefined;
  const close = () => unwatch().then(() => app.close());
  const ended = shutDownOnSignal({ logger, shutdownTimeoutMs, close });
  for (const line of banner(config, definition, ports)) terminal.print(line);
  for (const warning of [...definition.warnings, ...missingPrograms(definition.agents, config.variables)])
    terminal.printError(`  warning   ${printable(warning)}`);
  await ended;
}

/** Makes the API reachable at its usual address for programs that speak only HTTP. */
async function forwardToApi({ apiUrl, apiForward }: AgentConfig): Promise<void> {
  if (apiForward === null) return;
  const { hostname: host, port } = new URL(apiUrl);
  await openForwarder(apiUrl, apiForward).catch((error: unknown) => {
    throw listenError(error, { host, port: Number(port) }, () => 'another one in WAYSTATION_API_URL');
  });
}

function banner(config: AgentConfig, definition: Definition, ports: AgentPorts): string[] {
  const addressOf = (port: number | null) => {
    const wanted = port ?? ports.defaultPort;
    return addressFor(ports.actualFor(wanted) ?? wanted, config);
  };
  return [
    `Waystation ${VERSION} runs ${printable(definition.file)}`,
    `  agents    ${printable(definition.agents.map(({ name }) => name).join(', '))}`,
    ...triggerLines(definition, addressOf),
    `  health    ${addressFor(ports.main ?? ports.defaultPort, config)}/health`,
    `  reports   to ${config.outsideApiUrl ?? config.apiUrl}`,
    ...tryLines(definition, addressOf),
  ];
}

/** The address at which people reach a port of this process; in a container, the published port of the host. */
function addressFor(port: number, { host, outsidePorts }: AgentConfig): string {
  return `http://${reachableHost(host)}:${outsidePorts.get(port) ?? port}`;
}

interface WatchOptions {
  file: string;
  logger: Logger;
  /** @throws DefinitionError */
  read(): Definition;
  /** @throws when the definition cannot be applied; the old one stays in force */
  apply(definition: Definition): Promise<void>;
}

/** Applies each changed definition in turn. A faulty one is logged, and the old one stays in force. @returns a function that ends it */
function watchDefinition({ file, logger, read, apply }: WatchOptions): () => Promise<void> {
  let work = Promise.resolve();
  const reload = async () => {
    try {
      const definition = read();
      await apply(definition);
      const { agents, triggers, warnings } = definition;
      logger.info({ file, agents: agents.length, triggers: triggers.length }, 'definition reloaded');
      for (const warning of warnings) logger.warn({ file }, warning);
    } catch (error) {
      const faults = error instanceof DefinitionError ? error.faults.map(faultLine) : [String(error)];
      logger.warn({ file, faults }, 'the changed definition is invalid; keeping the old one');
    }
  };
  const onChange = () => void (work = work.then(reload));
  watchFile(file, { interval: LOOK_MS, persistent: false }, onChange);
  return () => {
    unwatchFile(file, onChange);
    return work;
  };
}
