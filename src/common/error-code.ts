/**
 * The code that the operating system, Node or a database driver put on an error; null if it has none.
 * Checks no class: Node's own errors have another `Error` class if the code runs in its own context, as in Jest.
 */
export function errorCode(error: unknown): string | null {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}
