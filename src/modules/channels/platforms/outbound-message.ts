export interface ChatAddress {
  chatId: string;
  /** The topic or thread within the chat; null for the chat itself. */
  topic: string | null;
}

/** The payload of our question buttons: the action and the question's id; options count from 1. */
export const OWN_BUTTON = /^(approve|reject|option-[1-9]\d?):([0-9a-f-]{36})$/;

export interface Button {
  /** At most 20 characters, and unique within its question. */
  label: string;
  /** At most 64 bytes of ASCII, the lowest limit of the platforms. */
  data: string;
}

/** An agent's message, in Markdown as models write it; already cut to the platform's length. */
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

/** New text for a question that was sent, without its buttons. A new message on platforms that cannot edit. */
export interface OutboundEdit {
  kind: 'edit';
  chat: ChatAddress;
  messageId: string;
  text: string;
}

/** A file from an agent. */
export interface OutboundFile extends FileContent {
  kind: 'file';
  chat: ChatAddress;
  /** In Markdown, at most `MAX_CAPTION` characters; empty for none. */
  caption: string;
  /** The platform's id of the uploaded bytes; null if they go with the message. */
  uploadId: string | null;
}

/** A file's bytes and metadata. */
export interface FileContent {
  /** Safe to show; see `safeFileName`. */
  name: string;
  /** `type/subtype`, without parameters. */
  mediaType: string;
  sizeBytes: number;
  /** Starts from the beginning each time. */
  bytes: () => AsyncIterable<Uint8Array>;
}

/** The longest caption of a file on any platform, in characters. */
export const MAX_CAPTION = 1_024;

export type OutboundWords = OutboundText | OutboundQuestion | OutboundEdit;

export type OutboundMessage = OutboundWords | OutboundFile;

/** The outcome of a send. */
export type SendOutcome =
  | { kind: 'sent'; messageId: string | null }
  /** Certainly not sent, and worth another try, not before `afterMs` (at most an hour; null: at any time). */
  | { kind: 'later'; reason: string; afterMs: number | null }
  /** Certainly not sent, and no further try will succeed. */
  | {
      kind: 'refused';
      reason: string;
      /** Nothing can be sent to this chat until the person writes again: blocked, left, or the window closed. */
      isChatClosed: boolean;
      /** The chat's new id, to retry with; null if it did not move. */
      movedTo: string | null;
    }
  /** The outcome is unknown: the connection broke after the request was sent, or the response made no sense. */
  | { kind: 'unknown'; reason: string };

/** The outcome of an upload. */
export type UploadOutcome =
  { kind: 'uploaded'; uploadId: string | null } | Extract<SendOutcome, { kind: 'later' | 'refused' }>;
