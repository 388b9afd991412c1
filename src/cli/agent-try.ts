import { readFileSync } from 'node:fs';
import type { Definition, WebhookTrigger } from '../modules/triggers/definition/definition.js';
import { plainPath } from '../modules/triggers/definition/webhook-endpoint.js';
import { previewWebhook, type WebhookReading } from '../modules/triggers/webhooks/foreign-body.js';
import { CliError, UsageError } from './cli-error.js';
import { printableLines } from './printable.js';
import type { Terminal } from './terminal.js';

export interface TryOptions {
  /** Path of the webhook. */
  endpoint: string;
  /** File with the body; standard input for `-` or if absent. */
  payload?: string;
  /** As `Name: value`. */
  headers: readonly string[];
  json?: boolean;
}

/** Prints what a webhook of the file would make of a request. Starts nothing and needs no signature or secret. */
export function tryWebhook(definition: Definition, options: TryOptions, terminal: Terminal): void {
  const trigger = webhookAt(definition, options.endpoint);
  const headers = new Map(options.headers.map(headerOf));
  const reading = previewWebhook(trigger, { headers, body: bodyIn(options.payload ?? '-') });
  const told = toldOf(trigger, reading);
  if (options.json) return terminal.print(JSON.stringify(told, null, 2));
  for (const [name, text] of Object.entries(told)) terminal.print(lineOf(name, text));
}

function webhookAt({ webhooks }: Definition, endpoint: string): WebhookTrigger {
  const wanted = plainPath(endpoint);
  const found = webhooks.find((webhook) => plainPath(webhook.endpoint) === wanted);
  if (found) return found;
  const known = webhooks.map((webhook) => webhook.endpoint).join(', ');
  throw new UsageError(`The file has no webhook at ${endpoint}; it has ${known || 'none'}.`);
}

function headerOf(text: string): [name: string, value: string] {
  const [, name, value] = /^([^\s:]+):\s*(.*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new UsageError(`-H ${text}: must be "Name: value".`);
  return [name.toLowerCase(), value];
}

function bodyIn(file: string): Buffer {
  try {
    return readFileSync(file === '-' ? 0 : file);
  } catch (error) {
    throw new CliError(`${file} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function toldOf({ filter, agentName }: WebhookTrigger, { refusedBy, start }: WebhookReading): Record<string, string> {
  const list = refusedBy !== null && filter.unless.includes(refusedBy) ? 'unless' : 'when';
  const isEmpty = start.message.trim() === '';
  return {
    filter: refusedBy === null ? 'lets it pass' : `ignores it because of \`${list}\`: ${refusedBy.name}`,
    starts: refusedBy === null && !isEmpty ? agentName : 'nothing',
    thread: start.threadId ?? 'its own',
    delivery: start.deliveryId ?? 'no id: sent again, it starts another run',
    message: isEmpty ? 'empty' : start.message,
  };
}

function lineOf(name: string, text: string): string {
  return `${name.padEnd(9)} ${printableLines(text).replaceAll('\n', `\n${' '.repeat(10)}`)}`;
}
