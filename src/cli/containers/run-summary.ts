import { asTyped } from '../../config/as-typed.js';
import type { Trigger } from '../../modules/triggers/definition/definition.js';
import type { Terminal } from '../terminal.js';
import type { Engine } from './engine.js';
import type { ContainerPlan } from './run-arguments.js';

/** What runs now, for programs. */
export function runRecord({ target, image, ports, config }: ContainerPlan, engine: Engine): object {
  const { definition, containerName } = target;
  return { name: containerName, file: definition.file, engine: engine.name, image, ports, api_url: config.apiUrl };
}

/** Prints what runs now, how to reach it and how to stop it. */
export function printRunSummary(
  { target, image, ports, config }: ContainerPlan,
  engine: Engine,
  terminal: Terminal,
): void {
  const { definition, containerName } = target;
  const addressOf = (port: number | null) => {
    const wanted = port ?? target.mainPort;
    return `http://127.0.0.1:${ports.find(({ container }) => container === wanted)?.host ?? wanted}`;
  };
  terminal.print(`${containerName} runs ${definition.file}`);
  terminal.print(`  engine    ${engine.name}, image ${image}`);
  for (const { host, container } of ports)
    terminal.print(`  port      127.0.0.1:${host} leads to ${container} in the container`);
  for (const trigger of definition.triggers) terminal.print(triggerLine(trigger, addressOf));
  terminal.print(`  health    ${addressOf(target.mainPort)}/health`);
  terminal.print(`  reports   to ${config.apiUrl}`);
  terminal.print(asTyped(`  next      waystation logs ${containerName} -f; waystation stop ${containerName}`));
  const [webhook] = definition.webhooks;
  if (webhook?.auth !== null) return;
  const url = addressOf(webhook.port) + webhook.endpoint;
  terminal.print(`  try       curl -H 'Content-Type: application/json' -d '{"message": "Hello"}' ${url}`);
}

function triggerLine(trigger: Trigger, addressOf: (port: number | null) => string): string {
  if (trigger.type === 'schedule')
    return `  schedule  ${trigger.cron} (${trigger.timezone}) starts ${trigger.agentName}`;
  const { port, endpoint, agentName, auth } = trigger;
  return `  webhook   POST ${addressOf(port)}${endpoint} starts ${agentName}${auth === null ? '' : ` (${auth.type})`}`;
}
