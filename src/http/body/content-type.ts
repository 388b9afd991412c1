import { unsupportedMedia } from './body.errors.js';

/** Neither is registered; both are in use. */
const JSON_LINES_TYPES = ['application/x-ndjson', 'application/jsonl'];
const JSON_TYPE = /^application\/(?:json|[\w.!#$&^-]+\+json)$/;
const UTF8 = /^"?utf-?8"?$/;

/**
 * Accepts JSON in UTF-8. A missing header counts as JSON, the only format here.
 * @throws DomainError `unsupported_media`
 */
export function checkJsonContentType(header: string | undefined): void {
  // Nearly every request has exactly this value.
  if (header === undefined || header === 'application/json') return;
  const [type = '', ...parameters] = header
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  if (!JSON_TYPE.test(type)) {
    throw unsupportedMedia('unsupported_content_type', 'Content-Type must be application/json.');
  }
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (charset !== undefined && !UTF8.test(charset.slice('charset='.length))) {
    throw unsupportedMedia('unsupported_charset', 'The charset must be utf-8.');
  }
}

/**
 * Accepts JSON lines. A missing header counts as such.
 * @throws DomainError `unsupported_media`
 */
export function checkJsonLinesContentType(header: string | undefined): void {
  const type = header?.toLowerCase().split(';')[0]?.trim();
  if (type === undefined || JSON_LINES_TYPES.includes(type)) return;
  throw unsupportedMedia('unsupported_content_type', `Content-Type must be ${JSON_LINES_TYPES.join(' or ')}.`);
}
