import { invalidField } from '../../common/domain-error.js';
import { idFault } from '../../common/id-fault.js';
import { textStart, visitMembers } from '../../http/body/json-body.js';

export const HOOK_PLATFORMS = ['claude', 'codex'] as const;

/** A coding agent whose hooks are supported. */
export type HookPlatform = (typeof HOOK_PLATFORMS)[number];

/** The member that names the turn. Claude Code before 2.1.221 may send none: then all turns of a session are one run. */
const TURN: Readonly<Record<HookPlatform, string>> = { claude: 'prompt_id', codex: 'turn_id' };
const EVENT = /^[A-Za-z]{1,60}$/;
/** Bytes of an id or name, with every character escaped. */
const MAX_SHORT_BYTES = 8_000;
/** Leaves room for the server's own prefix. */
const MAX_ID_LENGTH = 400;

/** The input of a hook. Texts are exact JSON. */
export interface HookBody {
  platform: HookPlatform;
  event: string;
  sessionId: string;
  /** Null if the platform names none. */
  turnId: string | null;
  model: string | null;
  toolName: string | null;
  toolUseId: string | null;
  /** All other members, by name. */
  members: ReadonlyMap<string, string>;
  /** All of it. */
  text: string;
}

/**
 * Reads a hook's standard input. Accepts unknown members, because platforms add some.
 * @throws DomainError `invalid` that names the member
 */
export function readHookBody(body: Buffer, platform: HookPlatform): HookBody {
  const members = new Map<string, string>();
  visitMembers(body, (name, value) => members.set(name, value.toString()));
  const event = shortText(members, 'hook_event_name');
  if (event === null) throw invalidField('hook_event_name', 'is missing');
  if (!EVENT.test(event)) throw invalidField('hook_event_name', 'must be the name of an event');
  const sessionId = idIn(members, 'session_id');
  if (sessionId === null) throw invalidField('session_id', 'is missing');
  return {
    ...{ platform, event, sessionId, members, turnId: idIn(members, TURN[platform]) },
    ...{ model: shortText(members, 'model'), toolUseId: idIn(members, 'tool_use_id') },
    toolName: idIn(members, 'tool_name'),
    text: body.toString('utf8', textStart(body)),
  };
}

function idIn(members: ReadonlyMap<string, string>, name: string): string | null {
  const text = shortText(members, name);
  const fault = text === null ? null : idFault(text, MAX_ID_LENGTH);
  if (fault !== null) throw invalidField(name, fault);
  return text;
}

function shortText(members: ReadonlyMap<string, string>, name: string): string | null {
  const value = members.get(name);
  if (value === undefined || value === 'null') return null;
  if (!value.startsWith('"')) throw invalidField(name, 'must be a string');
  if (value.length > MAX_SHORT_BYTES) throw invalidField(name, 'is too long');
  return JSON.parse(value) as string;
}
