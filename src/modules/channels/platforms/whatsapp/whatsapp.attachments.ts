import { idIn, numberIn, objectIn, objectsIn, textIn, type JsonObject } from '../../../../common/json-fields.js';
import type { Attachment } from '../inbound-update.js';

/** Types of message that are a file. */
const FILES = ['image', 'audio', 'video', 'document', 'sticker'];

/** What came with a message besides its text; by its type, the member of the same name holds it. */
export function attachmentsOf(message: JsonObject, type: string): Attachment[] {
  const content = objectIn(message, type);
  if (FILES.includes(type) && content) return [fileOf(content, type)];
  if (type === 'location' && content) return [placeOf(content)];
  if (type === 'contacts') return objectsIn(message, 'contacts').map(contactOf);
  return type === 'order' && content ? [orderOf(content)] : [];
}

function fileOf(file: JsonObject, kind: string): Attachment {
  return {
    kind,
    id: idIn(file, 'id'),
    name: textIn(file, 'filename'),
    mediaType: textIn(file, 'mime_type'),
    sizeBytes: numberIn(file, 'file_size'),
    description: file.voice === true ? 'voice message' : null,
  };
}

function placeOf(location: JsonObject): Attachment {
  const place = `${numberIn(location, 'latitude')}, ${numberIn(location, 'longitude')}`;
  const address = textIn(location, 'address');
  return described('location', textIn(location, 'name'), address ? `${place}, ${address}` : place);
}

function contactOf(contact: JsonObject): Attachment {
  const phones = objectsIn(contact, 'phones').map((phone) => textIn(phone, 'phone') ?? textIn(phone, 'wa_id'));
  const numbers = phones.filter((phone) => phone).join(', ');
  return described('contact', textIn(objectIn(contact, 'name'), 'formatted_name'), numbers || null);
}

function orderOf(order: JsonObject): Attachment {
  const items = objectsIn(order, 'product_items').map(
    (item) => `${numberIn(item, 'quantity') ?? 1} x ${idIn(item, 'product_retailer_id') ?? 'an item'}`,
  );
  return described('order', textIn(order, 'text'), items.join(', ') || null);
}

function described(kind: string, name: string | null, description: string | null): Attachment {
  return { kind, id: null, name, mediaType: null, sizeBytes: null, description };
}
