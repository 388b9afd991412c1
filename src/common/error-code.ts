/**
 * The code that the operating system, node or a database driver put on an error; null when it has none.
 * Asks for no class, because errors of node itself are of another `Error` where code runs in a context of its own.
 */
export function errorCode(error: unknown): string | null {
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : null;
  return typeof code === 'string' ? code : null;
}
