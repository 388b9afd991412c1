const MAX_LENGTH = 512;

/**
 * What is wrong with an id of the API (an agent's name, a thread's), or null.
 * @param maxLength in code points
 */
export function idFault(id: string, maxLength = MAX_LENGTH): string | null {
  if (id === '' || [...id].length > maxLength) return `must be 1 to ${maxLength} characters long`;
  if (/\p{Cc}/u.test(id)) return 'must not have control characters';
  if (!id.isWellFormed()) return 'must not have lone surrogates';
  return id === '.' || id === '..' ? 'must not be . or ..' : null;
}
