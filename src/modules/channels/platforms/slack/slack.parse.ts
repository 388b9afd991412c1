import { idIn, objectIn, objectsIn, textIn, type JsonObject, objectOf } from '../../../../common/json-fields.js';
import type { AccountProfile, WebhookRequest } from '../channel-adapter.js';
import type { InboundUpdate, ParsedWebhook } from '../inbound-update.js';
import { eventOf } from './slack.event.js';
import { commandOf, interactionOf } from './slack.interaction.js';
import { isUtf8 } from 'node:buffer';
import { parseExactJson } from '../../../../common/exact-json.js';

/** Slack's challenges are shorter. */
const MAX_CHALLENGE = 1_000;

/** Reads a request for the bot of one workspace; empty if it is for another. */
export function parseRequest(request: WebhookRequest, profile: AccountProfile): ParsedWebhook {
  const body = readBody(request);
  if (body.kind === 'none') return { updates: [], response: null };
  const challenge = body.kind === 'event' ? challengeOf(body.value) : null;
  if (challenge !== null) return { updates: [], response: { contentType: 'text/plain', body: challenge } };
  const isOurs = profile.team === null || teamsOf(body.value).includes(profile.team);
  return { updates: isOurs ? updatesOf(body, profile.userId) : [], response: null };
}

function updatesOf(body: SlackBody, botId: string | null): InboundUpdate[] {
  if (body.kind === 'interaction') return interactionOf(body.value);
  if (body.kind === 'command') return commandOf(body.value);
  if (body.kind === 'none') return [];
  const type = textIn(body.value, 'type');
  if (type === 'event_callback') return eventOf(body.value, botId);
  return type === 'app_rate_limited' ? [rateLimited(body.value)] : [];
}

/** Slack's check of the receiver's address when it is entered in the console. */
function challengeOf(value: JsonObject): string | null {
  const challenge = textIn(value, 'challenge');
  const isAsked = value.type === 'url_verification' && challenge !== null;
  return isAsked && challenge.length <= MAX_CHALLENGE ? challenge : null;
}

/** In shared channels `team_id` may be the author's workspace; the authorizations name the workspaces it is delivered to. */
function teamsOf(value: JsonObject): string[] {
  const authorized = objectsIn(value, 'authorizations').map((authorization) => idIn(authorization, 'team_id'));
  const named =
    idIn(value, 'team_id') ?? idIn(objectIn(value, 'team'), 'id') ?? idIn(objectIn(value, 'user'), 'team_id');
  const known = authorized.filter((team) => team !== null);
  return known.length > 0 || named === null ? known : [named];
}

/** Slack dropped events because there were more than 30,000 in an hour. */
function rateLimited(value: JsonObject): InboundUpdate {
  const key = `app_rate_limited:${idIn(value, 'minute_rate_limited') ?? 'unknown'}`;
  return { kind: 'ignored', key, occurredAtMs: null, what: 'app_rate_limited', chat: null, user: null };
}

/** Slack sends events as JSON, interactions as a form with JSON in it, and slash commands as a flat form. */
export type SlackBody =
  | { kind: 'event'; value: JsonObject }
  | { kind: 'interaction'; value: JsonObject }
  | { kind: 'command'; value: JsonObject }
  | { kind: 'none' };

/** The members of a slash command; others in the form are ignored. */
const COMMAND_MEMBERS = 'command text team_id channel_id user_id user_name trigger_id thread_ts'.split(' ');
/** A form without these is not a slash command. */
const NEEDED_MEMBERS = 'command team_id channel_id user_id trigger_id'.split(' ');

/**
 * The signature covers the bytes but not the content type, so only the bytes decide: otherwise an event, sent again as a form, could be
 * read as a press by anybody its author chooses.
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
