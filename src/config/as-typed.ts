import { launchContext } from './env.js';

/** A command in a message, in the form that its reader can type: in a clone, only npx finds `waystation`. */
export function asTyped(text: string): string {
  const { command } = launchContext();
  return command === 'waystation' ? text : text.replaceAll(/(?<!npx |[\w/.-])waystation (?=[a-z])/g, `${command} `);
}
