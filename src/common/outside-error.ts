/** A failure outside this program, with a message for people. */
export class OutsideError extends Error {}
