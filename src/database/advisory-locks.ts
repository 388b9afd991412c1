/** Keys of PostgreSQL's advisory locks, kept in one place so that none is used twice. All programs on a database share them. */
export const ADVISORY_LOCKS = {
  /** Held by one server that migrates, or one program that moves data here. */
  migration: 7_236_112,
  /** Held while deciding by standing rules or changing them. */
  rules: 4_712_026_001,
  /** Held while computing the space of files for chats. */
  attachmentSpace: 4_712_026_002,
} as const;
