/** What proxies add to the ETag of a response that they compress: Apache once or twice, Jetty with two hyphens. */
const MARK_OF_PROXY = /-{1,2}(gzip|br|deflate|zstd)(?="?$)/i;

/**
 * The ETags that a caller has, as this server gave them out: proxies weaken those of responses that they compress, and mark them.
 * @param ifNoneMatch the header as it was sent
 * @returns null if there is none
 */
export function knownEtagsOf(ifNoneMatch: string | undefined): string[] | null {
  if (ifNoneMatch === undefined || ifNoneMatch.trim() === '') return null;
  return ifNoneMatch.split(',').map(withoutMarks);
}

function withoutMarks(etag: string): string {
  let own = etag.trim().replace(/^W\//i, '');
  while (MARK_OF_PROXY.test(own)) own = own.replace(MARK_OF_PROXY, '');
  return own.startsWith('"') || own === '*' ? own : `"${own}"`;
}
