import { isUtf8 } from 'node:buffer';
import { parseExactJson } from '../../../../common/exact-json.js';
import { objectOf, type JsonObject } from '../../../../common/json-fields.js';
import type { WebhookRequest } from '../channel-adapter.js';

/** Slack sends events as JSON, interactions as a form with JSON in it, and slash commands as a flat form. */
export type SlackBody =
  | { kind: 'event'; value: JsonObject }
  | { kind: 'interaction'; value: JsonObject }
  | { kind: 'command'; value: JsonObject }
  | { kind: 'none' };

/** Members that a slash command may have; others of a form are not looked at. */
const COMMAND_MEMBERS = 'command text team_id channel_id user_id user_name trigger_id thread_ts'.split(' ');
/** Those without which a form is no slash command. */
const NEEDED_MEMBERS = 'command team_id channel_id user_id trigger_id'.split(' ');

/**
 * The signature covers the bytes but not the content type, so the bytes alone say what they are: else an event, sent again as a form,
 * could be read as a press of whomever its author likes.
 */
export function readBody({ rawBody }: WebhookRequest): SlackBody {
  if (!isUtf8(rawBody)) return { kind: 'none' };
  const text = rawBody.toString();
  if (/^\s*\{/.test(text)) return readJson('event', rawBody);
  const form = new URLSearchParams(text);
  if (text.startsWith('payload='))
    return form.size === 1 ? readJson('interaction', form.get('payload')!) : { kind: 'none' };
  if (form.has('payload') || !NEEDED_MEMBERS.every((name) => form.has(name))) return { kind: 'none' };
  const value = Object.fromEntries(COMMAND_MEMBERS.map((name) => [name, form.get(name) ?? undefined]));
  return { kind: 'command', value };
}

function readJson(kind: 'event' | 'interaction', source: Buffer | string): SlackBody {
  const value = objectOf(parseExactJson(source));
  return value ? { kind, value } : { kind: 'none' };
}
