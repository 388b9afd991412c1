import { TimeSlices } from '../../common/time-slices.js';

/** Bytes that are joined at once. */
const AT_ONCE_BYTES = 1024 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * One buffer of many. Large ones come in slices, because the first touch of so much memory alone may take a tenth of a second, for
 * which other requests would wait.
 * @param chunks taken out of the list as they are copied
 */
export async function joinInSlices(chunks: Buffer[], sizeBytes: number): Promise<Buffer> {
  if (chunks.length === 1) return chunks[0]!;
  if (sizeBytes <= AT_ONCE_BYTES) return Buffer.concat(chunks, sizeBytes);
  const slices = new TimeSlices();
  const body = Buffer.allocUnsafeSlow(sizeBytes);
  let at = 0;
  for (let i = 0; i < chunks.length; i++) {
    at += chunks[i]!.copy(body, at);
    chunks[i] = NOTHING;
    await slices.pauseIfDue();
  }
  return body;
}
