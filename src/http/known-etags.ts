/** What proxies add to the ETag of a response they compress: Apache once or twice, Jetty with two hyphens. */
const MARK_OF_PROXY = /-{1,2}(gzip|br|deflate|zstd)(?="?$)/i;

/**
 * The caller's ETags as this server sent them: proxies weaken and mark those of responses they compress.
 * @param ifNoneMatch the unparsed header
 * @returns null without the header
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
