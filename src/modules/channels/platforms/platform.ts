import type { ChannelAdapter } from './channel-adapter.js';
import type { PlatformCalls } from './platform-calls.js';

/** A rule that a value of `config` must keep; see `channel-config.reader.ts` for what each means. */
export type ConfigFieldKind = 'digits' | 'text' | 'choice' | 'flag' | 'user_ids';

/** A member of a channel's `config`. */
export interface ConfigField {
  name: string;
  kind: ConfigFieldKind;
  isRequired: boolean;
  /** Left out of every answer; `secret_fields` names it instead. */
  isSecret: boolean;
  /** For `choice`. */
  choices?: readonly string[];
  /** Of the choices the one that suits a server which platforms cannot reach. */
  unreachableChoice?: string;
  /** For `text` that has a form of its own. */
  format?: { pattern: RegExp; words: string };
  /** For people who are asked for it: what it is and where to find it. */
  hint: string;
}

/** A member that has to be there, and that no answer shows. */
export function secretField(name: string, hint: string, format?: ConfigField['format']): ConfigField {
  return { name, kind: 'text', isRequired: true, isSecret: true, ...(format && { format }), hint };
}

/** A member that answers show, and that may be left out. */
export function optionalField(name: string, kind: ConfigFieldKind, hint: string): ConfigField {
  return { name, kind, isRequired: false, isSecret: false, hint };
}

/** The members that channels of all platforms may have. @param approversHint what the ids of people look like there */
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

/** A failure, of a platform or the path to it, that keeps a channel from working. */
export interface PlatformFault {
  /** Of its words; case does not matter. */
  pattern: RegExp;
  /** The remedy, in whole sentences. */
  remedy: string;
}

/** A messaging platform, as the registry, the documentation and the command line know it. */
export interface Platform {
  /** Its name, for people. */
  title: string;
  /** Base address of its API, without slash at the end. `WAYSTATION_<TYPE>_API_URL` takes its place. */
  apiUrl: string;
  /** The steps on the platform before a channel can be created, one sentence each. */
  preparation: readonly string[];
  /** The members of a channel's `config`, and what is asked of each. */
  fields: readonly ConfigField[];
  /** What usually goes wrong, the first that fits counts; what goes wrong with every platform is in `commonFaultsOf`. */
  faults: readonly PlatformFault[];
  /** @param apiUrl where it is called, without slash at the end */
  connect(calls: PlatformCalls, apiUrl: string): ChannelAdapter;
}
