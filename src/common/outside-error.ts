/** A failure of something outside of this program, in words for people. */
export class OutsideError extends Error {}
