/** A part of a response: text, or bytes that are sent unchanged. */
export type Piece = string | Buffer;
