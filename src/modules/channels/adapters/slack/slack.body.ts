import { isUtf8 } from 'node:buffer';
import { parseExactJson } from '../../../../common/exact-json.js';
import { objectOf, type JsonObject } from '../../../../common/json-fields.js';
import type { WebhookRequest } from '../../channel-adapter.js';

/** Slack sends events as JSON, interactions as a form with JSON in it, and slash commands as a flat form. */
export type SlackBody =
  | { kind: 'event'; value: JsonObject }
  | { kind: 'interaction'; value: JsonObject }
  | { kind: 'command'; value: JsonObject }
  | { kind: 'none' };

const FORM = /^application\/x-www-form-urlencoded\b/i;

/** Members that a slash command may have; others of a form are not looked at. */
const COMMAND_MEMBERS = 'command text team_id channel_id user_id user_name trigger_id thread_ts'.split(' ');

export function readBody({ headers, rawBody }: WebhookRequest): SlackBody {
  if (FORM.test(headers['content-type'] ?? '')) return readForm(rawBody);
  const value = objectOf(parseExactJson(rawBody));
  return value ? { kind: 'event', value } : { kind: 'none' };
}

function readForm(rawBody: Buffer): SlackBody {
  if (!isUtf8(rawBody)) return { kind: 'none' };
  const form = new URLSearchParams(rawBody.toString());
  const payload = form.get('payload');
  if (payload !== null) {
    const value = objectOf(parseExactJson(payload));
    return value ? { kind: 'interaction', value } : { kind: 'none' };
  }
  if (!form.has('command')) return { kind: 'none' };
  const value = Object.fromEntries(COMMAND_MEMBERS.map((name) => [name, form.get(name) ?? undefined]));
  return { kind: 'command', value };
}
