/** Whether a URL leads to the very machine, or container, that uses it. */
export function isLoopbackUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return /^(127(\.\d+){3}|\[::1\]|localhost|.+\.localhost)$/.test(hostname);
}
