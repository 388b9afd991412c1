import { seat } from '../config/env.js';

/** A command in a message, as this person can type it: where npm found `waystation`, as in a clone, the shell may not find it. */
export function asTyped(text: string): string {
  return seat().isOfNpm ? text.replaceAll(/(?<!npx |[\w/.-])waystation (?=[a-z])/g, 'npx waystation ') : text;
}
