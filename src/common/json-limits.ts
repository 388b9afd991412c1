/** Values in one element of an event: a message, an unknown member, an error, a list of tool calls. */
export const MAX_ELEMENT_VALUES = 500_000;

/** Levels of lists and objects in one element of an event. */
export const MAX_ELEMENT_LEVELS = 1_000;

/**
 * Characters, or bytes, of a text of which values are made: more of them are told apart by their outline alone, and shown cut.
 * A text of few bytes per value takes fifty times its length once it is parsed.
 */
export const MAX_PARSED_LENGTH = 1024 * 1024;

/** What is too much about a value. */
export type JsonExcess = 'values' | 'levels';
