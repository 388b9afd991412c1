/** How people start the program on the server's machine; the server writes it into the page. */
export const COMMAND = document.documentElement.dataset.command ?? 'waystation';

/** Whether the server runs in a clone, or in a project that has it as a package. */
export const IS_OF_NPX = COMMAND.startsWith('npx ');

/** A command as people can type it there. */
export function asTyped(rest: string): string {
  return `${COMMAND} ${rest}`;
}
