import { createHash } from 'node:crypto';
import { idFault } from '../../../common/id-fault.js';
import type { Environment } from '../../../config/env-reader.js';
import { CronError } from './cron/cron-fields.js';
import { CronSchedule, isTimezone } from './cron/cron-schedule.js';
import {
  CATCH_UP_POLICIES,
  OVERLAP_POLICIES,
  type ScheduleTrigger,
  type Trigger,
  type WebhookTrigger,
} from './definition.js';
import type { Fields } from './fields.js';
import { parseTemplate, type Template } from './template.js';
import { readWebhookAuth } from './webhook-auth-reader.js';
import { readFilter } from './webhook-filter.js';
import { endpointFault } from './webhook-endpoint.js';

const TRIGGER_TYPES = ['webhook', 'schedule'] as const;
const YEAR_SECONDS = 31_536_000;

export interface TriggerSurroundings {
  readonly variables: Environment;
  readonly agentNames: readonly string[];
  /** The agent it starts unless it names another. */
  readonly agentName: string;
}

/** Reads one trigger. `fields` collects faults; null if nothing is usable. */
export function readTrigger(fields: Fields, surroundings: TriggerSurroundings): Trigger | null {
  const agentName = readTarget(fields, surroundings);
  const type = fields.get('type');
  if (type === 'webhook') return readWebhook(fields, agentName, surroundings.variables);
  if (type === 'schedule') return readSchedule(fields, agentName);
  const allowed = TRIGGER_TYPES.join(', ');
  return fields.fault('type', type === undefined ? `is missing: one of ${allowed}` : `must be one of ${allowed}`);
}

function readTarget(fields: Fields, { agentNames, agentName }: TriggerSurroundings): string {
  const target = fields.text('target_agent');
  if (target === null || agentNames.includes(target)) return target ?? agentName;
  fields.fault(
    'target_agent',
    `there is no agent "${target}" in this file; there is ${agentNames.join(', ') || 'none'}`,
  );
  return agentName;
}

function readWebhook(fields: Fields, agentName: string, variables: Environment): WebhookTrigger {
  const endpoint = required(fields, 'endpoint', 'the path for POST requests, like /run');
  const fault = endpoint === '' ? null : endpointFault(endpoint);
  if (fault !== null) fields.fault('endpoint', fault);
  return {
    type: 'webhook',
    path: fields.path,
    agentName,
    endpoint,
    port: fields.number('port', null, { min: 1, max: 65_535 }),
    auth: readWebhookAuth(fields, variables),
    filter: readFilter(fields),
    message: readTemplate(fields, 'message'),
    threadId: readThreadId(fields),
  };
}

function readThreadId(fields: Fields): Template | null {
  const template = readTemplate(fields, 'thread_id');
  if (template === null) return null;
  if (!fields.has('message'))
    return fields.fault('thread_id', 'needs `message`: without it, the body names the thread');
  const [first] = template;
  if (typeof first !== 'string' || !first.startsWith('channel:')) return template;
  return fields.fault('thread_id', 'must not begin with channel: which is kept for chats');
}

function readTemplate(fields: Fields, key: string): Template | null {
  const text = fields.text(key);
  if (text === null) return null;
  const template = parseTemplate(text);
  return 'fault' in template ? fields.fault(key, template.fault) : template;
}

function readSchedule(fields: Fields, agentName: string): ScheduleTrigger {
  const timezone = readTimezone(fields);
  const cron = readCron(fields, timezone ?? 'UTC');
  const message = required(fields, 'message', 'the message for the agent at each firing');
  const overlap = fields.choice('overlap', 'skip', OVERLAP_POLICIES);
  const threadId = fields.text('thread_id');
  const threadFault = threadId === null ? null : idFault(threadId);
  if (threadFault !== null) fields.fault('thread_id', threadFault);
  return {
    type: 'schedule',
    path: fields.path,
    key: createHash('sha256')
      .update(JSON.stringify([agentName, cron, timezone, message]))
      .digest('hex')
      .slice(0, 32),
    agentName,
    cron,
    timezone: timezone ?? 'UTC',
    message,
    threadId,
    overlap,
    catchUp: fields.choice('catch_up', 'none', CATCH_UP_POLICIES),
    maxAgeSeconds: fields.number('max_age', null, { min: 1, max: YEAR_SECONDS }),
  };
}

function readCron(fields: Fields, timezone: string): string {
  const cron = required(fields, 'cron', 'five fields, like "0 9 * * MON-FRI"');
  if (cron === '') return cron;
  try {
    new CronSchedule(cron, timezone);
  } catch (error) {
    if (!(error instanceof CronError)) throw error;
    fields.fault('cron', error.message);
  }
  return cron;
}

/** Null with a fault for an unknown time zone. */
function readTimezone(fields: Fields): string | null {
  if (!fields.hasKey('timezone')) return 'UTC';
  const timezone = fields.text('timezone');
  if (timezone === null || isTimezone(timezone)) return timezone;
  return fields.fault('timezone', `"${timezone}" is not known; it must be a name such as Europe/Berlin`);
}

/** Required text; empty with a fault if missing. */
function required(fields: Fields, key: string, what: string): string {
  if (!fields.has(key) && !fields.isBlank(key)) fields.fault(key, `is missing: ${what}`);
  return fields.text(key) ?? '';
}
