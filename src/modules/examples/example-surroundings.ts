import type { AgentTrigger } from '../../common/contract/agent-trigger.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const FIRINGS = 5;

export interface ExampleAgent {
  agentId: string;
  triggers: AgentTrigger[];
}

/** The example agents with their triggers. Nothing can start them: they have no address. */
export function exampleAgents(nowMs: number): ExampleAgent[] {
  return [
    { agentId: 'support', triggers: [webhook('/support')] },
    { agentId: 'cashier', triggers: [webhook('/pay')] },
    { agentId: 'release', triggers: [webhook('/hooks/release')] },
    { agentId: 'reporter', triggers: [schedule('0 6 * * *', 'UTC', nowMs, DAY_MS, 6 * HOUR_MS)] },
    {
      agentId: 'crawler',
      triggers: [schedule('30 * * * *', 'Europe/Lisbon', nowMs, HOUR_MS, HOUR_MS / 2), webhook('/crawl')],
    },
  ];
}

/** Goes by the first trigger: users' agents report the triggers of their definition files. */
export function isExampleAgent(triggers: readonly AgentTrigger[]): boolean {
  return triggers[0]?.id.startsWith('example:') === true;
}

/** Channels of invented accounts. No platform issues such secrets, so they identify these channels. */
export const EXAMPLE_CHANNELS = [
  {
    order: {
      type: 'telegram',
      name: 'Shop bot (made up)',
      config: { bot_token: '4711:demonstration-only', approvers: ['1001', '1002'] },
      sessionMode: 'per_chat',
      routingMode: 'command',
    },
    agents: [
      { agentName: 'support', isDefault: true, command: '/help' },
      { agentName: 'cashier', isDefault: false, command: '/pay' },
    ],
  },
  {
    order: {
      type: 'slack',
      name: 'Operations (made up)',
      config: { bot_token: 'xoxb-demonstration-only', signing_secret: 'demonstration-only' },
      sessionMode: 'per_user',
      routingMode: 'single',
    },
    agents: [{ agentName: 'release', isDefault: true, command: null }],
  },
] as const;

function webhook(endpoint: string): AgentTrigger {
  return { id: `example:${endpoint}`, type: 'webhook', endpoint };
}

/** A schedule that fires once per span, `afterMs` after the span's start. */
function schedule(cron: string, timezone: string, nowMs: number, spanMs: number, afterMs: number): AgentTrigger {
  const firstMs = Math.floor((nowMs - afterMs) / spanMs + 1) * spanMs + afterMs;
  const next = Array.from({ length: FIRINGS }, (_, at) => new Date(firstMs + at * spanMs).toISOString());
  return { id: `example:${cron}`, type: 'schedule', cron, timezone, next };
}
