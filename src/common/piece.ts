/** A part of an answer: text, or bytes that are sent as they are. */
export type Piece = string | Buffer;
