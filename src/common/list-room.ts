/** Spare memory for a list that others will extend, so that few extensions copy it. */
const GROWTH = 1.5;
/** In bytes. */
const MIN_ROOM = 256;

/**
 * Memory that begins with the first `end` bytes of a list and has room for `length`: `room` if the list is in it and it is large enough,
 * otherwise a copy in new memory. Nothing may follow those bytes in `room` yet.
 * @param room memory for extending lists; null if there is none yet
 */
export function roomFor(bytes: Buffer, room: Buffer | null, { end, length }: { end: number; length: number }): Buffer {
  const isOwn = room !== null && room.buffer === bytes.buffer;
  if (isOwn && room.length >= length) return room;
  const larger = Buffer.allocUnsafeSlow(Math.ceil(length * GROWTH) + MIN_ROOM);
  bytes.copy(larger, 0, 0, end);
  return larger;
}
