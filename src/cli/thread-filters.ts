import type { Command } from 'commander';
import type { Query } from './api-client.js';

/** Filters that the list of threads and the stream of all threads have in common. */
export interface ThreadFilters {
  status?: string[];
  agent?: string;
  model?: string;
  search?: string;
}

export function addThreadFilters(command: Command): Command {
  return command
    .option('--status <status...>', 'only threads with one of these statuses, like --status error waiting_for_approval')
    .option('--agent <id>', 'only threads in which this agent took part')
    .option('--model <name>', 'only threads whose latest checkpoint names this model')
    .option('--search <text>', 'only threads with this text in their id, model or agents');
}

/** As the API takes them. */
export function filterQuery({ status, agent, model, search }: ThreadFilters): Query {
  return { status, agent_id: agent, model, q: search };
}
