import { InvalidArgumentError, Option, type Command } from 'commander';
import { STATUS_NAMES, statusMeant } from '../common/contract/run-status.js';
import type { Query } from './api-client.js';

/** Filters shared by the thread list and the stream of all threads. */
export interface ThreadFilters {
  status?: string[];
  agent?: string;
  model?: string;
  search?: string;
}

export function addThreadFilters(command: Command): Command {
  return command
    .addOption(statusOption())
    .option('--agent <id>', 'only threads in which this agent took part')
    .option('--model <name>', 'only threads whose latest checkpoint names this model')
    .option('--search <text>', 'only threads with this text in their id, model or agents');
}

/** As the API takes them. */
export function filterQuery({ status, agent, model, search }: ThreadFilters): Query {
  return { status, agent_id: agent, model, q: search };
}

function statusOption(): Option {
  const option = new Option(
    '--status <status...>',
    'only threads with one of these statuses, like --status failed waiting',
  );
  // For completion only; the help would list the choices on four lines.
  option.argChoices = [...STATUS_NAMES];
  return option.argParser((word: string, before: string[] = []) => [...before, statusOf(word)]);
}

function statusOf(word: string): string {
  if (STATUS_NAMES.includes(word)) return statusMeant(word);
  throw new InvalidArgumentError(`Choose from ${STATUS_NAMES.join(', ')}.`);
}
