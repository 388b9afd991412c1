import { buildMessage, ValidateBy } from 'class-validator';

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d)(?::(\d\d)(?:\.\d{1,9})?)?(Z|[+-]\d\d:?\d\d)?)?$/;

/**
 * Milliseconds since 1970 of an ISO 8601 date (its first moment) or time, in UTC without a zone. Null if it is neither.
 * A space before the offset is a `+` that the caller forgot to encode.
 */
export function instantMs(text: string): number | null {
  const withSign = text.replace(/ (?=\d\d:?\d\d$)/, '+');
  const match = ISO.exec(withSign);
  if (!match) return null;
  const [, year, month, day, hour, , , zone] = match;
  const ms = Date.parse(hour !== undefined && zone === undefined ? `${withSign}Z` : withSign);
  // Date.parse accepts the 31st of any month, and 24:00.
  const isOnCalendar = Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  return Number.isNaN(ms) || !isOnCalendar ? null : ms;
}

export function IsInstant(): PropertyDecorator {
  return ValidateBy({
    name: 'isInstant',
    validator: {
      validate: (value) => typeof value === 'string' && instantMs(value) !== null,
      defaultMessage: buildMessage(() => 'must be an ISO 8601 date or time such as 2026-01-31T09:30:00Z'),
    },
  });
}
