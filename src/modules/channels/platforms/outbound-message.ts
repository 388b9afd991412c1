export interface ChatAddress {
  chatId: string;
  /** The topic or thread within the chat; null for the chat itself. */
  topic: string | null;
}

/** The payload of our question buttons: the action and the question's id; options count from 1. */
export const OWN_BUTTON = /^(approve|reject|option-[1-9]\d?):([0-9a-f-]{36})$/;

export interface Button {
  /** At most 20 characters, and different from the others of its question. */
  label: string;
  /** At most 64 bytes of ASCII: the least of what the platforms bear. */
  data: string;
}

/** A message of an agent, in Markdown as models write it; already cut to the platform's length. */
export interface OutboundText {
  kind: 'text';
  chat: ChatAddress;
  text: string;
}

export interface OutboundQuestion {
  kind: 'question';
  chat: ChatAddress;
  text: string;
  /** At least one, at most the adapter's `maxButtons`. */
  buttons: readonly Button[];
}

/** New text for a question that was sent, without its buttons. Where a platform cannot edit, a new message that says it. */
export interface OutboundEdit {
  kind: 'edit';
  chat: ChatAddress;
  messageId: string;
  text: string;
}

/** A file of an agent. */
export interface OutboundFile extends FileContent {
  kind: 'file';
  chat: ChatAddress;
  /** In Markdown, at most `MAX_CAPTION` characters; empty for none. */
  caption: string;
  /** What the platform calls the bytes, where it has taken them before; null where they go with the message. */
  uploadId: string | null;
}

/** The bytes of a file, and what is said of them. */
export interface FileContent {
  /** Safe to show; see `safeFileName`. */
  name: string;
  /** `type/subtype`, without parameters. */
  mediaType: string;
  sizeBytes: number;
  /** From the beginning, each time. */
  bytes: () => AsyncIterable<Uint8Array>;
}

/** Characters of the text with a file, on all platforms. */
export const MAX_CAPTION = 1_024;

export type OutboundWords = OutboundText | OutboundQuestion | OutboundEdit;

export type OutboundMessage = OutboundWords | OutboundFile;

/** What became of a call that sends. */
export type SendOutcome =
  | { kind: 'sent'; messageId: string | null }
  /** Certainly not sent, and worth another try, not before `afterMs` (at most an hour; null: whenever it suits). */
  | { kind: 'later'; reason: string; afterMs: number | null }
  /** Certainly not sent, and no try will be better. */
  | {
      kind: 'refused';
      reason: string;
      /** Nothing can be sent to this chat until the person writes again: blocked, left, window closed. */
      isChatClosed: boolean;
      /** The chat's new id, under which it is worth another try; null if it did not move. */
      movedTo: string | null;
    }
  /** Nobody knows: the connection broke after the request was sent, or the answer made no sense. */
  | { kind: 'unknown'; reason: string };

/** What became of the bytes of a file. */
export type UploadOutcome =
  { kind: 'uploaded'; uploadId: string | null } | Extract<SendOutcome, { kind: 'later' | 'refused' }>;
