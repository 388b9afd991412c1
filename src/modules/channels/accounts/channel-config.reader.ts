import { DomainError, type FieldFault } from '../../../common/domain-error.js';
import type { ConfigField, ConfigFieldKind } from '../platforms/platform.js';
import { EXTRAS, isSecretExtra, readExtras } from './channel-extras.js';

export type ChannelConfig = Readonly<Record<string, unknown>>;

const MAX_TEXT = 512;
const MAX_USERS = 1_000;
/** No control characters, no lone surrogates, and something visible. */
const PRINTABLE = /^(?=.*\S)[^\p{Cc}\p{Cs}]+$/u;

type Rule = (value: unknown, field: ConfigField) => string | null;

/** Each rule returns what was expected, or null if the value is valid. */
const RULES: Record<ConfigFieldKind, Rule> = {
  digits: (value) =>
    typeof value === 'string' && /^\d{1,32}$/.test(value) ? null : 'expected a string of 1 to 32 digits',
  text: (value, { format }) => {
    if (isPrintable(value) && (!format || format.pattern.test(value))) return null;
    const words = format ? `${format.words}, at most` : 'printable text of 1 to';
    return `expected ${words} ${MAX_TEXT} characters`;
  },
  choice: (value, { choices = [] }) =>
    choices.some((choice) => choice === value) ? null : `expected one of ${choices.join(', ')}`,
  flag: (value) => (typeof value === 'boolean' ? null : 'expected true or false'),
  user_ids: (value) =>
    Array.isArray(value) && value.length <= MAX_USERS && value.every(isPrintable)
      ? null
      : `expected an array of at most ${MAX_USERS} user ids, each a non-empty string`,
};

/**
 * Reads a channel's `config` by its platform's fields; fills in missing `transport` and flags, and keeps unknown members separately.
 * Calls nothing: only the platform can say whether a token is right.
 * @throws DomainError `invalid` that names every faulty member (`config.bot_token`), and never a value
 */
export function readChannelConfig(fields: readonly ConfigField[], value: unknown): ChannelConfig {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid([{ path: 'config', detail: 'expected an object' }]);
  }
  const given = new Map(Object.entries(value));
  const unknown = [...given].filter(([name]) => !fields.some((field) => field.name === name));
  const { extras, faults: extraFaults } = readExtras(unknown);
  const faults = [...extraFaults];
  const config: Record<string, unknown> = {};
  for (const field of fields) {
    const member = given.get(field.name);
    const detail = member === undefined ? absenceFault(field) : RULES[field.kind](member, field);
    if (detail !== null) faults.push({ path: `config.${field.name}`, detail });
    const settled = member === undefined ? defaultOf(field) : member;
    if (settled !== undefined) config[field.name] = settled;
  }
  if (faults.length > 0) throw invalid(faults);
  return extras === null ? config : { ...config, [EXTRAS]: extras };
}

/** The members of a config that may be shown, and the names of its secrets. */
export function splitSecrets(
  fields: readonly ConfigField[],
  config: ChannelConfig,
): { shown: ChannelConfig; secretFields: readonly string[] } {
  const shown: Record<string, unknown> = {};
  const secretFields: string[] = [];
  for (const { name, isSecret } of fields) {
    if (config[name] === undefined) continue;
    if (isSecret) secretFields.push(name);
    else shown[name] = config[name];
  }
  const secrets = secretFields.map((name) => String(config[name]));
  for (const [name, value] of Object.entries(config[EXTRAS] ?? {})) {
    if (isSecretExtra(name, value, secrets)) secretFields.push(name);
    else shown[name] = value;
  }
  return { shown, secretFields };
}

function absenceFault({ isRequired, hint }: ConfigField): string | null {
  return isRequired ? `is required: ${hint}` : null;
}

/** The first choice for choices, false for flags; other optional members have no default. */
function defaultOf({ kind, choices }: ConfigField): unknown {
  if (kind === 'choice') return choices?.[0];
  return kind === 'flag' ? false : undefined;
}

function isPrintable(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_TEXT && PRINTABLE.test(value);
}

function invalid(errors: readonly FieldFault[]): DomainError {
  const message = errors.map(({ path, detail }) => `${path}: ${detail}`).join('; ');
  return new DomainError('invalid', 'invalid_request', message, { errors });
}
