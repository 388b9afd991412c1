import type { Encoding } from './page-files.js';

/** Smallest result first. */
const OURS: readonly Encoding[] = ['br', 'gzip', null];

/**
 * The encodings that a client accepts by its `Accept-Encoding` (RFC 9110 section 12.5.3), smallest result first. The plain form always
 * comes last, even for a client that refuses it.
 */
export function acceptedEncodings(header: string | undefined): Encoding[] {
  const weights = new Map((header ?? '').toLowerCase().split(',').map(weightOf));
  return OURS.filter((encoding) => encoding === null || (weights.get(encoding) ?? weights.get('*') ?? 0) > 0);
}

function weightOf(text: string): [name: string, weight: number] {
  const [name = '', ...parameters] = text.split(';').map((part) => part.trim());
  const weight = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return [name, weight === undefined ? 1 : Number(weight) || 0];
}
