import { createLogger } from '../common/logger.js';
import { VERSION } from '../common/version.js';
import type { AgentConfig } from '../config/agent.config.js';
import { PortError, startAgent } from '../create-agent.js';
import type { Definition, Trigger } from '../modules/triggers/definition/definition.js';
import { readDefinition } from '../modules/triggers/definition/definition-reader.js';
import { missingPrograms } from '../modules/triggers/definition/missing-programs.js';
import type { AgentPorts } from '../modules/triggers/webhooks/agent-ports.js';
import { watchDefinition } from './definition-watch.js';
import { openForwarder } from './api-forwarder.js';
import { tokenFor } from './connect.js';
import { listenFault, reachableHost } from './listen-fault.js';
import { makeHome, warnOfReaders } from './make-home.js';
import { printable } from './printable.js';
import { runSentence } from './run-sentence.js';
import type { Terminal } from './terminal.js';
import { untilSignal } from './until-signal.js';

/** Time to stop programs that outlast the time for finishing, by force if necessary. */
const STOPPING_MS = 10_000;

/**
 * Runs the agent process until a signal ends it.
 * @throws ConfigError, DomainError or CliError when it cannot start.
 */
export async function runAgentProcess(config: AgentConfig, definition: Definition, terminal: Terminal): Promise<void> {
  const logger = createLogger({ ...config.log, sentenceOf: runSentence });
  warnOfReaders(config.home, logger);
  // In a container both are given, and there is no home.
  if (config.token === null || config.stateDir === null) makeHome(config.home);
  const apiToken = tokenFor(config);
  const { host } = config;
  await forwardToApi(config);
  const shutdownTimeoutMs = config.shutdownTimeoutMs + STOPPING_MS;
  const { app, ports, reload } = await startAgent({ config, definition, apiToken, logger }).catch((error: unknown) => {
    if (!(error instanceof PortError)) throw error;
    throw listenFault(
      error.cause,
      { host, port: error.port },
      (free) => `the \`port\` of the trigger, or --port ${free}`,
    );
  });
  const { file } = definition;
  const read = () => readDefinition(file, { variables: config.variables, defaultPort: config.port });
  const unwatch = config.isWatching ? watchDefinition({ file, logger, read, apply: reload }) : async () => undefined;
  const close = () => unwatch().then(() => app.close());
  const ended = untilSignal({ logger, shutdownTimeoutMs, close });
  greet(config, definition, ports, terminal);
  for (const warning of [...definition.warnings, ...missingPrograms(definition.agents, config.variables)])
    terminal.complain(`  warning   ${printable(warning)}`);
  await ended;
}

/** Programs that know only HTTP reach the API at its usual address, wherever it is. */
async function forwardToApi({ apiUrl, apiForward }: AgentConfig): Promise<void> {
  if (apiForward === null) return;
  const { hostname: host, port } = new URL(apiUrl);
  await openForwarder(apiUrl, apiForward).catch((error: unknown) => {
    throw listenFault(error, { host, port: Number(port) }, () => 'another one in WAYSTATION_API_URL');
  });
}

function greet(config: AgentConfig, definition: Definition, ports: AgentPorts, terminal: Terminal): void {
  const addressOf = (wanted: number) => addressFor(ports.actualFor(wanted) ?? wanted, config);
  terminal.print(`Waystation ${VERSION} runs ${printable(definition.file)}`);
  terminal.print(`  agents    ${printable(definition.agents.map(({ name }) => name).join(', '))}`);
  for (const trigger of definition.triggers)
    terminal.print(printable(triggerLine(trigger, ports.defaultPort, addressOf)));
  terminal.print(`  health    ${addressFor(ports.main ?? ports.defaultPort, config)}/health`);
  terminal.print(`  reports   to ${config.outsideApiUrl ?? config.apiUrl}`);
  const [webhook] = definition.webhooks;
  if (webhook?.auth !== null) return;
  const url = `${addressOf(webhook.port ?? ports.defaultPort)}${webhook.endpoint}`;
  terminal.print(`  try       curl -H 'Content-Type: application/json' -d '{"message": "Hello"}' ${url}`);
}

/** Where people reach a port of this process: in a container, the port of the machine outside. */
function addressFor(port: number, { host, outsidePorts }: AgentConfig): string {
  return `http://${reachableHost(host)}:${outsidePorts.get(port) ?? port}`;
}

function triggerLine(trigger: Trigger, defaultPort: number, addressOf: (wanted: number) => string): string {
  if (trigger.type === 'schedule')
    return `  schedule  ${trigger.cron} (${trigger.timezone}) starts ${trigger.agentName}`;
  const { port, endpoint, agentName, auth } = trigger;
  const url = `${addressOf(port ?? defaultPort)}${endpoint}`;
  return `  webhook   POST ${url} starts ${agentName}${auth === null ? '' : ` (${auth.type})`}`;
}
