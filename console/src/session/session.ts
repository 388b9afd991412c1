/** Headers that show the server which session this tab belongs to. */
export function sessionHeaders(): Record<string, string> {
  return {};
}
