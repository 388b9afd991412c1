/** Whether a URL leads to the machine or container that uses it. */
export function isLoopbackUrl(url: string): boolean {
  if (!URL.canParse(url)) return false;
  return isLoopbackHost(new URL(url).hostname);
}

/** Whether a name or an address, with or without IPv6 brackets, means the machine that uses it. */
export function isLoopbackHost(host: string): boolean {
  return /^(127(\.\d+){3}|\[?::1\]?|localhost|.+\.localhost)$/i.test(host);
}
