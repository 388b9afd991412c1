import { launchContext } from './env.js';

/** A command in a message, as the person can type it who reads it: in a clone only npx finds `waystation`. */
export function asTyped(text: string): string {
  const { command } = launchContext();
  return command === 'waystation' ? text : text.replaceAll(/(?<!npx |[\w/.-])waystation (?=[a-z])/g, `${command} `);
}
