import { idIn, numberIn, objectIn, objectsIn, textIn, type JsonObject } from '../../../../common/json-fields.js';
import type { Attachment } from '../inbound-update.js';

/** Members of a message that hold one file, and what they are for the port. */
const FILES: readonly (readonly [member: string, kind: string])[] = [
  ['animation', 'animation'],
  ['document', 'document'],
  ['video', 'video'],
  ['video_note', 'video'],
  ['audio', 'audio'],
  ['voice', 'audio'],
  ['sticker', 'sticker'],
];

/** Members that say something without a file, and what of them says it. */
const WORDS: readonly (readonly [member: string, words: string])[] = [
  ['poll', 'question'],
  ['dice', 'emoji'],
  ['game', 'title'],
  ['checklist', 'title'],
  ['story', 'id'],
  ['paid_media', 'star_count'],
];

/** What came with a message besides its text. */
export function attachmentsOf(message: JsonObject): Attachment[] {
  // A GIF comes as `animation` and, for old clients, as `document` once more.
  const files = FILES.filter(([member]) => member !== 'document' || !objectIn(message, 'animation')).map(
    ([member, kind]) => fileOf(objectIn(message, member), kind),
  );
  const words = WORDS.map(([member, words]) => wordsOf(objectIn(message, member), member, words));
  // Sizes of one picture, the largest last.
  const photo = fileOf(objectsIn(message, 'photo').at(-1) ?? null, 'image');
  return [photo, ...files, placeOf(message), contactOf(objectIn(message, 'contact')), ...words].filter(
    (attachment) => attachment !== null,
  );
}

function fileOf(file: JsonObject | null, kind: string): Attachment | null {
  if (!file) return null;
  return {
    kind,
    id: idIn(file, 'file_id'),
    name: textIn(file, 'file_name') ?? textIn(file, 'title'),
    mediaType: textIn(file, 'mime_type'),
    sizeBytes: numberIn(file, 'file_size'),
    description: textIn(file, 'emoji'),
  };
}

/** A venue comes with its location in a member of its own besides. */
function placeOf(message: JsonObject): Attachment | null {
  const venue = objectIn(message, 'venue');
  const location = objectIn(venue, 'location') ?? objectIn(message, 'location');
  if (!location) return null;
  const place = `${numberIn(location, 'latitude')}, ${numberIn(location, 'longitude')}`;
  const address = textIn(venue, 'address');
  return described('location', address ? `${place}, ${address}` : place, textIn(venue, 'title'));
}

function contactOf(contact: JsonObject | null): Attachment | null {
  if (!contact) return null;
  const names = [textIn(contact, 'first_name'), textIn(contact, 'last_name')].filter((name) => name !== null);
  return described('contact', textIn(contact, 'phone_number'), names.join(' ') || null);
}

function wordsOf(value: JsonObject | null, kind: string, member: string): Attachment | null {
  return value && described(kind, textIn(value, member) ?? numberIn(value, member)?.toString() ?? null, null);
}

function described(kind: string, description: string | null, name: string | null): Attachment {
  return { kind, id: null, name, mediaType: null, sizeBytes: null, description };
}
