import { readFileSync } from 'node:fs';
import { EncodingError, fileText } from '../common/file-text.js';
import type { ConfigField } from '../modules/channels/platforms/platform.js';
import { CliError } from './cli-error.js';
import type { Terminal } from './terminal.js';

export interface ConfigOptions {
  /** `name=value`. */
  field?: string[];
  /** `name=file`; `-` is standard input. */
  fieldFile?: string[];
  /** JSON of the whole config; `-` is standard input. */
  configFile?: string;
}

/**
 * The config of a channel from options and files; asks for what is missing. Secrets come from files or the keyboard, never from
 * arguments: other users of the machine can read those.
 * @throws CliError for unusable values, and for missing ones when there is nobody to ask
 */
export async function readConfigInput(
  fields: readonly ConfigField[],
  { field = [], fieldFile = [], configFile }: ConfigOptions,
  terminal: Terminal,
): Promise<Record<string, unknown>> {
  const config = configFile === undefined ? {} : parseConfig(readInput(configFile));
  for (const given of field) {
    const [name, text] = splitPair(given, '--field');
    const known = knownField(fields, name);
    if (known.isSecret) {
      throw new CliError(`${name} is a secret: give it with --field-file ${name}=FILE, or omit it to be prompted.`);
    }
    config[name] = valueOf(known, text);
  }
  for (const given of fieldFile) {
    const [name, file] = splitPair(given, '--field-file');
    config[name] = valueOf(knownField(fields, name), readInput(file).trim());
  }
  return complete(fields, config, terminal);
}

async function complete(
  fields: readonly ConfigField[],
  config: Record<string, unknown>,
  { keyboard }: Terminal,
): Promise<Record<string, unknown>> {
  const missing = fields.filter(({ name, isRequired }) => isRequired && config[name] === undefined);
  if (keyboard === undefined && missing.length > 0) {
    const lines = missing.map(({ name, hint }) => `  ${name}: ${hint}`);
    throw new CliError(
      `Missing, and there is no terminal to ask; see --field-file and --config-file:\n${lines.join('\n')}`,
    );
  }
  for (const field of missing) {
    const question = `${field.name} (${field.hint})`;
    config[field.name] = valueOf(field, (await keyboard!.ask({ question, isHidden: field.isSecret })).trim());
  }
  return config;
}

function valueOf({ kind }: ConfigField, text: string): unknown {
  if (kind === 'user_ids') return text.split(',').map((id) => id.trim());
  if (kind === 'flag' && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}

function knownField(fields: readonly ConfigField[], name: string): ConfigField {
  const found = fields.find((field) => field.name === name);
  if (found) return found;
  throw new CliError(`There is no field ${name}; known fields: ${fields.map((field) => field.name).join(', ')}.`);
}

function splitPair(given: string, option: string): [string, string] {
  const at = given.indexOf('=');
  // The value may be a secret in the wrong place.
  if (at < 1) throw new CliError(`${option} takes NAME=VALUE.`);
  return [given.slice(0, at), given.slice(at + 1)];
}

function parseConfig(text: string): Record<string, unknown> {
  try {
    const config: unknown = JSON.parse(text);
    if (typeof config === 'object' && config !== null && !Array.isArray(config)) return { ...config };
  } catch {
    // Reported below: the parser's own message would reveal the file's content.
  }
  throw new CliError('--config-file must hold a JSON object.');
}

function readInput(file: string): string {
  const name = file === '-' ? 'Standard input' : file;
  try {
    return fileText(readFileSync(file === '-' ? 0 : file));
  } catch (error) {
    throw new CliError(`${name} ${error instanceof EncodingError ? error.message : 'cannot be read'}.`);
  }
}
