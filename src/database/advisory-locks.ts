/** The keys of PostgreSQL's advisory locks, which all programs on a database share: here no two of ours can be the same. */
export const ADVISORY_LOCKS = {
  /** Of one server that migrates, or one program that moves data here. */
  migration: 7_236_112,
  /** Of whoever decides by standing rules or changes them. */
  rules: 4_712_026_001,
  /** Of whoever counts the space that files for chats take. */
  attachmentSpace: 4_712_026_002,
} as const;
