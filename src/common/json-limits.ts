/** Limit of values in one element of an event: a message, an unknown member, an error, a list of tool calls. */
export const MAX_ELEMENT_VALUES = 500_000;

/** Limit of nesting levels in one element of an event. */
export const MAX_ELEMENT_LEVELS = 1_000;

/**
 * Limit of characters, or bytes, of a text to parse. Longer texts are only compared by their outlines, and shown truncated: parsing a text
 * with few bytes per value takes fifty times its length in memory.
 */
export const MAX_PARSED_LENGTH = 1024 * 1024;

/** The limit that a value exceeds. */
export type JsonExcess = 'values' | 'levels';
