import type { Command } from 'commander';
import type { AgentTrigger } from '../common/contract/agent-trigger.js';
import { asTyped } from '../config/as-typed.js';
import { connect } from './connect.js';
import { ageOf, localTime } from './local-time.js';
import { printable } from './printable.js';
import type { Style } from './style.js';
import { printTable, type Terminal } from './terminal.js';

/** The members of an agent that a row shows. */
interface ListedAgent {
  agent_id: string;
  online: boolean;
  last_seen: string;
  endpoint: string | null;
  triggers: AgentTrigger[];
  queued_runs?: object[];
}

const COLUMNS = [
  { title: 'AGENT', max: 24 },
  { title: 'ONLINE', paint: (cell: string, style: Style) => (cell.startsWith('yes') ? style('green', cell) : cell) },
  { title: 'STARTED BY', min: 20 },
  ...['QUEUED', 'NEXT FIRING'],
];

/** `waystation agents`: lists the agents and what starts them. */
export function addAgentsCommand(program: Command, terminal: Terminal): void {
  program
    .command('agents')
    .description('list agents: online or not, triggers, next firing')
    .option('--json', 'print JSON lines, with all details')
    .action(async ({ json }: { json?: boolean }) => listAgents(json === true, terminal));
}

async function listAgents(isJson: boolean, terminal: Terminal): Promise<void> {
  const agents = await connect().list<ListedAgent>('/v1/agents');
  if (isJson) return agents.forEach((agent) => terminal.print(JSON.stringify(agent)));
  if (agents.length === 0) return terminal.printError(asTyped('No agents yet. Start some: waystation agent FILE'));
  await printTable(terminal, COLUMNS, agents.map(rowOf));
}

function rowOf({ agent_id, online, last_seen, triggers, queued_runs: queued = [] }: ListedAgent): string[] {
  const presence = online ? 'yes' : `${ageOf(last_seen, Date.now())} ago`;
  const next = triggers.flatMap((trigger) => trigger.next ?? []).sort();
  return [
    printable(agent_id),
    presence,
    printable(triggers.map(triggerText).join(', ') || '-'),
    queued.length === 0 ? '-' : String(queued.length),
    next[0] === undefined ? '-' : localTime(next[0]).slice(0, -3),
  ];
}

function triggerText({ type, endpoint, cron }: AgentTrigger): string {
  return type === 'webhook' ? `webhook ${endpoint ?? ''}` : `schedule ${cron ?? ''}`;
}
