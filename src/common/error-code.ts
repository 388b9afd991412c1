/**
 * The code that the operating system, node or a database driver put on an error; null when it has none.
 * It checks no class: errors of Node itself have another `Error` class when code runs in its own context, as in Jest.
 */
export function errorCode(error: unknown): string | null {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}
