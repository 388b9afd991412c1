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
  /** For `text` that has a form of its own. */
  format?: { pattern: RegExp; words: string };
  /** For people who are asked for it: what it is and where to find it. */
  hint: string;
}
