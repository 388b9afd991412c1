import { idFault } from '../../../common/id-fault.js';
import type { Environment } from '../../../config/env-reader.js';
import type { AgentDefinition } from './definition.js';
import { noText, type Fields, replaceVariables } from './fields.js';
import { WrittenScalar } from './definition-text.js';

const WEEK_SECONDS = 604_800;
const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** The process sets these for every program. */
const TAKEN = ['API_URL', 'TOKEN', 'AGENT_ID', 'THREAD_ID', 'TRACE_ID', 'MESSAGE'].map((name) => `WAYSTATION_${name}`);

/** What all agents of a file share. */
export interface AgentSurroundings {
  readonly variables: Environment;
  readonly directory: string;
}

/** Reads one agent. `fields` collects faults; with any fault, the result is meaningless. */
export function readAgent(name: string, fields: Fields, { variables, directory }: AgentSurroundings): AgentDefinition {
  const nameFault = idFault(name);
  if (nameFault !== null) fields.faultAt(fields.path, `the name of an agent ${nameFault}`);
  return {
    name,
    command: readCommand(fields),
    env: readEnv(fields, variables),
    timeoutSeconds: fields.number('timeout_seconds', 3600, { min: 0, max: WEEK_SECONDS, isFraction: true }),
    concurrency: fields.number('concurrency', 4, { min: 1, max: 1000 }),
    queueLimit: fields.number('queue_limit', 100, { min: 0, max: 100_000 }),
    budgetUsd: fields.number('budget_usd', null, { min: 0, max: 1_000_000, isFraction: true }),
    onRestart: fields.choice('on_restart', 'resume', ['resume', 'error']),
    workingDirectory: directory,
  };
}

function readCommand(fields: Fields): string[] {
  const value = fields.get('command');
  if (value === undefined) {
    fields.fault(
      'command',
      'is missing: the agent cannot start without it. Give the program and its arguments as a list',
    );
    return [];
  }
  if (!Array.isArray(value)) {
    fields.fault('command', 'must be a list: the program, then its arguments one by one (it is not run in a shell)');
    return [];
  }
  if (value.length === 0) fields.fault('command', 'must name a program');
  value.forEach((part, index) => {
    const path = `${fields.pathOf('command')}[${index}]`;
    if (typeof part !== 'string') fields.faultAt(path, noText(part));
    else if (index === 0 && part.trim() === '') fields.faultAt(path, 'must name a program');
    else if (part.includes('\0')) fields.faultAt(path, 'must not have a zero character');
  });
  return value.map(String);
}

function readEnv(fields: Fields, variables: Environment): Record<string, string> {
  const env: Record<string, string> = {};
  const section = fields.has('env') ? fields.section('env') : null;
  for (const [name, value] of section?.entries() ?? []) {
    const text = section === null ? null : readEnvValue(section, name, value, variables);
    if (text !== null) env[name] = text;
  }
  return env;
}

/** Unquoted values stay as written: `1.10` is a version, `007` a name. */
function readEnvValue(section: Fields, name: string, value: unknown, variables: Environment): string | null {
  if (!ENV_NAME.test(name)) return section.fault(name, 'is not a valid name for an environment variable');
  if (TAKEN.includes(name)) return section.fault(name, 'is a variable that the agent process sets for each run');
  if (value instanceof WrittenScalar) {
    return value.value === null ? section.fault(name, 'has no value; write "" for an empty text') : value.source;
  }
  if (typeof value !== 'string') return section.fault(name, noText(value));
  if (value.includes('\0')) return section.fault(name, 'must not have a zero character');
  const { text, faults } = replaceVariables(value, variables);
  for (const fault of faults) section.fault(name, fault);
  return text;
}
