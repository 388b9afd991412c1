/** An agent's metadata about a message, as far as known. */
export interface MessageMeta {
  /** Milliseconds since 1970, by the agent's clock. */
  at?: number;
  tokensIn?: number;
  tokensOut?: number;
}

const ISO_TIME = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/;

/** Reads the fields that the server's log also knows; ignores all others. */
export function messageMeta(value: unknown): MessageMeta {
  if (typeof value !== 'object' || value === null) return {};
  const { ts, tokens_in, tokens_out } = value as Record<string, unknown>;
  const at = timeOf(ts);
  return {
    ...(at === null ? {} : { at }),
    ...(isCount(tokens_in) ? { tokensIn: tokens_in } : {}),
    ...(isCount(tokens_out) ? { tokensOut: tokens_out } : {}),
  };
}

/** Many programs write UTC without a zone. */
function timeOf(value: unknown): number | null {
  const [, zone] = (typeof value === 'string' && ISO_TIME.exec(value)) || [null];
  if (typeof value !== 'string' || zone === null) return null;
  const at = Date.parse(`${value.replace(' ', 'T')}${zone === undefined ? 'Z' : ''}`);
  return Number.isNaN(at) ? null : at;
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}
