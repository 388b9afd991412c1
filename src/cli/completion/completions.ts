import type { Argument, Command, Option } from 'commander';

export interface Completion {
  value: string;
  /** Description, for shells that show one; may be empty. */
  about: string;
}

/** Instead of values: the shell completes file names. */
export const FILES = ':files';

/**
 * Completions of the last word, derived from the command definitions.
 * @param words the words after the program's name; the last, possibly empty, is to be completed
 */
export function completions(program: Command, words: readonly string[]): Completion[] {
  const current = words.at(-1) ?? '';
  const place = placeAfter(program, words.slice(0, -1));
  const found = candidates(place, current);
  return found.filter(({ value }) => value.startsWith(current) || value === FILES);
}

/** The position of the next word. */
interface Place {
  command: Command;
  /** The option that takes the word as its value. */
  option: Option | null;
  /** The arguments before it. */
  given: readonly string[];
  used: ReadonlySet<string>;
  /** After `--`, where nothing is an option. */
  isPlain: boolean;
}

function placeAfter(program: Command, words: readonly string[]): Place {
  let [command, option, isPlain]: [Command, Option | null, boolean] = [program, null, false];
  let given: string[] = [];
  const used = new Set<string>();
  for (const word of words) {
    const isOption = !isPlain && word.startsWith('-') && word.length > 1;
    if (option !== null && !isOption) {
      if (!option.variadic) option = null;
    } else if (word === '--' && !isPlain) {
      [option, isPlain] = [null, true];
    } else if (isOption) {
      const named = optionOf(command, word.split('=', 1)[0]!);
      if (named) used.add(named.long ?? named.short ?? '');
      option = named && (named.required || named.optional) && !word.includes('=') ? named : null;
    } else {
      const below = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
      if (below) [command, given] = [below, []];
      else given.push(word);
    }
  }
  return { command, option, given, used, isPlain };
}

function candidates(place: Place, current: string): Completion[] {
  const { command, option, given, used, isPlain } = place;
  const isOption = !isPlain && current.startsWith('-');
  const help = command.createHelp();
  if (isOption && current.includes('=')) {
    const name = current.split('=', 1)[0]!;
    const values = valuesOf(optionOf(command, name));
    return values.map(({ value, about }) => ({ value: value === FILES ? FILES : `${name}=${value}`, about }));
  }
  if (option !== null && !isOption) return valuesOf(option);
  if (isOption) {
    return help
      .visibleOptions(command)
      .filter(({ long, variadic }) => long !== undefined && (variadic || !used.has(long)))
      .map(({ long, description }) => ({ value: long!, about: description }));
  }
  if (command.commands.length > 0 && given.length === 0) {
    return help.visibleCommands(command).map((one) => ({ value: one.name(), about: one.description() }));
  }
  const declared = command.registeredArguments;
  const argument = declared[given.length] ?? (declared.at(-1)?.variadic ? declared.at(-1) : undefined);
  return valuesOf(argument);
}

function valuesOf(definition: Option | Argument | undefined): Completion[] {
  if (definition === undefined) return [];
  if (definition.argChoices) return definition.argChoices.map((value) => ({ value, about: '' }));
  // The kind of a value follows from its name: `<thread>`, `--thread <id>`, `--config-file <file>`.
  const isArgument = 'argRequired' in definition;
  const name = isArgument ? definition.name() : definition.attributeName();
  if (/file$/i.test(name) || /<(?:name=)?file(?:\.\.\.)?>/.test('flags' in definition ? definition.flags : '')) {
    return [{ value: FILES, about: '' }];
  }
  return [];
}

function optionOf(command: Command, name: string): Option | undefined {
  return command.options.find(({ long, short }) => long === name || short === name);
}
