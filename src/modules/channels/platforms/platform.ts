import type { ChannelAdapter } from './channel-adapter.js';
import type { PlatformCalls } from './platform-calls.js';

/** A rule for a `config` value; see `channel-config.reader.ts`. */
export type ConfigFieldKind = 'digits' | 'text' | 'choice' | 'flag' | 'user_ids';

/** A member of a channel's `config`. */
export interface ConfigField {
  name: string;
  kind: ConfigFieldKind;
  isRequired: boolean;
  /** Left out of every response; `secret_fields` names it instead. */
  isSecret: boolean;
  /** For `choice`. */
  choices?: readonly string[];
  /** The choice for a server that platforms cannot reach. */
  unreachableChoice?: string;
  /** For `text` with a form of its own. */
  format?: { pattern: RegExp; words: string };
  /** For people: what it is and where to find it. */
  hint: string;
}

/** A required member that no response shows. */
export function secretField(name: string, hint: string, format?: ConfigField['format']): ConfigField {
  return { name, kind: 'text', isRequired: true, isSecret: true, ...(format && { format }), hint };
}

/** An optional member that responses show. */
export function optionalField(name: string, kind: ConfigFieldKind, hint: string): ConfigField {
  return { name, kind, isRequired: false, isSecret: false, hint };
}

/** The members that channels of all platforms may have. @param approversHint what user ids look like there */
export function commonFields(approversHint: string): readonly ConfigField[] {
  return [
    optionalField('approvers', 'user_ids', approversHint),
    optionalField(
      'escalation_chat',
      'text',
      'id of a chat that is also asked from the second reminder on; one of the approvers must have written in it',
    ),
  ];
}

/** A failure, of a platform or on the way to it, that keeps a channel from working. */
export interface PlatformFault {
  /** Matches its words, ignoring case. */
  pattern: RegExp;
  /** In whole sentences. */
  remedy: string;
}

/** A messaging platform, for the registry, the documentation and the command line. */
export interface Platform {
  /** The name, for people. */
  title: string;
  /** Base URL of its API, without trailing slash. `WAYSTATION_<TYPE>_API_URL` overrides it. */
  apiUrl: string;
  /** What to do on the platform before creating a channel, one sentence per step. */
  preparation: readonly string[];
  /** The members of a channel's `config`. */
  fields: readonly ConfigField[];
  /** Common faults; the first match counts. `commonFaultsOf` has those of all platforms. */
  faults: readonly PlatformFault[];
  /** @param apiUrl without trailing slash */
  connect(calls: PlatformCalls, apiUrl: string): ChannelAdapter;
}
