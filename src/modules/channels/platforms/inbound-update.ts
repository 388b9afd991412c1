import type { JsonObject } from '../../../common/json-fields.js';
import type { ChatAddress } from './outbound-message.js';

/** Where a message was written. */
export interface Chat extends ChatAddress {
  isPrivate: boolean;
}

export interface ChatUser {
  id: string;
  /** As people see it; null if the platform does not say. */
  name: string | null;
}

/** Something that came with a message; described to the agent, never fetched. */
export interface Attachment {
  /** `image`, `audio`, `video`, `document`, `sticker`, `location`, `contact`, or the platform's own word. */
  kind: string;
  /** The platform's handle of the file, if there is one. */
  id: string | null;
  name: string | null;
  mediaType: string | null;
  sizeBytes: number | null;
  /** Whatever else says what it is: coordinates, a contact's name, an emoji. */
  description: string | null;
}

/** Who wrote something that is quoted or forwarded. */
export interface Author {
  /** Null where the platform tells only a name. */
  id: string | null;
  name: string | null;
}

/** A message that somebody answers. */
export interface RepliedMessage {
  /** Null where the platform does not say. */
  messageId: string | null;
  /** Whether it stands in the chat of the answer, so that the message log may know it. */
  isHere: boolean;
  author: Author | null;
  /** Whether the account of the channel wrote it; null where the platform does not say. */
  isOwn: boolean | null;
  /** Null where the platform does not send it along. */
  text: string | null;
  /** The part of it that the person chose. */
  quote: string | null;
  attachments: readonly Attachment[];
}

/** A message of somebody else that a person passes on. */
export interface ForwardedMessage {
  author: Author | null;
  chat: Author | null;
  text: string;
  sentAtMs: number | null;
  url: string | null;
  attachments: readonly Attachment[];
}

/** A button of another program, a row of a list, or a form: what the person chose or filled in. */
export interface ChosenButton {
  /** The payload. */
  id: string;
  title: string;
  description: string | null;
  /** What was filled in; null for a button. */
  form: JsonObject | null;
}

/** Says that a message may be one part of several: others of the same sender in the same chat may belong to it. */
export interface PartSigns {
  /** Parts have the same: `album:ID` where the platform says that they belong together, otherwise `text`, `forward`, or a kind of file. */
  key: string;
  /** Its text has the greatest length that the platform allows: the next part may go on within a word. */
  isCut?: true;
}

interface InboundBase {
  /** The platform's own key of what happened: the same thing delivered twice has the same key within its channel. At most 512 characters. */
  key: string;
  /** When it happened, by the platform; null if it does not say. */
  occurredAtMs: number | null;
}

/** Somebody wrote. */
export interface InboundMessage extends InboundBase {
  kind: 'message';
  chat: Chat;
  user: ChatUser;
  messageId: string;
  /**
   * Text or caption; a mention of the bot at its beginning is cut off, and `/command@bot` stands as `/command`. May be empty if there are
   * attachments.
   */
  text: string;
  attachments: readonly Attachment[];
  replyTo?: RepliedMessage;
  forwarded?: readonly ForwardedMessage[];
  button?: ChosenButton;
  /** Absent where nothing says that more will come; such a text may still be the last part of a long one. */
  part?: PartSigns;
  /** In groups: the bot is mentioned, answered or commanded. Always true in private chats. */
  isAddressed: boolean;
}

/** Somebody pressed a button under a message of ours. */
export interface InboundPress extends InboundBase {
  kind: 'press';
  chat: Chat;
  user: ChatUser;
  /** Of the message that holds the button; null if the platform does not say. */
  messageId: string | null;
  /** For `answerPress`. */
  pressId: string;
  /** The button's payload; untrusted. */
  data: string;
}

/** What became of a message that we sent. */
export interface InboundDelivery extends InboundBase {
  kind: 'delivery';
  chat: Chat | null;
  messageId: string;
  state: 'sent' | 'delivered' | 'read' | 'failed';
  /** The platform's words where it failed. */
  reason: string | null;
}

/** The platform gave a chat another id. */
export interface InboundMove extends InboundBase {
  kind: 'moved';
  chat: Chat;
  newChatId: string;
}

/** A person blocked the bot or let it in again. */
export interface InboundMembership extends InboundBase {
  kind: 'membership';
  chat: Chat;
  isBlocked: boolean;
}

/** Known to be of no consequence (edits, posts, reactions, bots, echoes), or not known at all. */
export interface InboundIgnored extends InboundBase {
  kind: 'ignored';
  /** The platform's name of its kind, for the message log. */
  what: string;
  chat: Chat | null;
  user: ChatUser | null;
  /** A person wrote to the bot, but the platform does not pass it on. */
  isLost?: true;
}

export type InboundUpdate =
  InboundMessage | InboundPress | InboundDelivery | InboundMove | InboundMembership | InboundIgnored;

/** What one webhook request says. */
export interface ParsedWebhook {
  updates: readonly InboundUpdate[];
  /** The response body that the platform expects; null for an empty one. */
  response: { contentType: string; body: string } | null;
}
