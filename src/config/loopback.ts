/** Whether a URL leads to the very machine, or container, that uses it. */
export function isLoopbackUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  return isLoopbackHost(new URL(url).hostname);
}

/** Whether a name or an address, an IPv6 one with or without brackets, means the very machine that uses it. */
export function isLoopbackHost(host: string): boolean {
  return /^(127(\.\d+){3}|\[?::1\]?|localhost|.+\.localhost)$/i.test(host);
}
