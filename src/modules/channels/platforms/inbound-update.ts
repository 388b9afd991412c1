import type { JsonObject } from '../../../common/json-fields.js';
import type { ChatAddress } from './outbound-message.js';

/** Where a message was written. */
export interface Chat extends ChatAddress {
  isPrivate: boolean;
}

export interface ChatUser {
  id: string;
  /** The display name; null if the platform does not say. */
  name: string | null;
}

/** Something that came with a message; described to the agent, never fetched. */
export interface Attachment {
  /** `image`, `audio`, `video`, `document`, `sticker`, `location`, `contact`, or the platform's own word. */
  kind: string;
  /** The platform's file id, if there is one. */
  id: string | null;
  name: string | null;
  mediaType: string | null;
  sizeBytes: number | null;
  /** Anything else that describes it: coordinates, a contact's name, an emoji. */
  description: string | null;
}

/** The author of a quoted or forwarded message. */
export interface Author {
  /** Null if the platform gives only a name. */
  id: string | null;
  name: string | null;
}

/** A message that somebody replies to. */
export interface RepliedMessage {
  /** Null if the platform does not say. */
  messageId: string | null;
  /** Whether it is in the same chat as the reply, so that the message log may know it. */
  isHere: boolean;
  author: Author | null;
  /** Whether the channel's account wrote it; null if the platform does not say. */
  isOwn: boolean | null;
  /** Null if the platform does not include it. */
  text: string | null;
  /** The part that the person selected. */
  quote: string | null;
  attachments: readonly Attachment[];
}

/** Somebody else's message that a person forwards. */
export interface ForwardedMessage {
  author: Author | null;
  chat: Author | null;
  text: string;
  sentAtMs: number | null;
  url: string | null;
  attachments: readonly Attachment[];
}

/** A button of another program, a list row, or a form: what the person chose or filled in. */
export interface ChosenButton {
  id: string;
  title: string;
  description: string | null;
  /** The completed form; null for a button. */
  form: JsonObject | null;
}

/** Marks a message as a possible part of several: others from the same sender in the same chat may belong to it. */
export interface PartSigns {
  /** Common to all parts: `album:ID` if the platform says that they belong together, otherwise `text`, `forward`, or a kind of file. */
  key: string;
  /** Its text has the maximum length: the next part may continue within a word. */
  isCut?: true;
}

interface InboundBase {
  /** The platform's key of the event: duplicate deliveries have the same key within their channel. At most 512 characters. */
  key: string;
  /** When it happened, by the platform; null if it does not say. */
  occurredAtMs: number | null;
}

export interface InboundMessage extends InboundBase {
  kind: 'message';
  chat: Chat;
  user: ChatUser;
  messageId: string;
  /** Text or caption, without a leading mention of the bot; `/command@bot` becomes `/command`. May be empty if there are attachments. */
  text: string;
  attachments: readonly Attachment[];
  replyTo?: RepliedMessage;
  forwarded?: readonly ForwardedMessage[];
  button?: ChosenButton;
  /** Absent if nothing suggests more parts; such a text may still be the last part of a long one. */
  part?: PartSigns;
  /** In groups: whether the bot is mentioned, replied to or commanded. Always true in private chats. */
  isAddressed: boolean;
}

/** Somebody pressed a button under one of our messages. */
export interface InboundPress extends InboundBase {
  kind: 'press';
  chat: Chat;
  user: ChatUser;
  /** The id of the message with the button; null if the platform does not say. */
  messageId: string | null;
  /** For `answerPress`. */
  pressId: string;
  /** The button's payload; untrusted. */
  data: string;
}

/** The delivery status of a message that we sent. */
export interface InboundDelivery extends InboundBase {
  kind: 'delivery';
  chat: Chat | null;
  messageId: string;
  state: 'sent' | 'delivered' | 'read' | 'failed';
  /** The platform's words, if it failed. */
  reason: string | null;
}

/** The platform gave a chat another id. */
export interface InboundMove extends InboundBase {
  kind: 'moved';
  chat: Chat;
  newChatId: string;
}

/** A person blocked or unblocked the bot. */
export interface InboundMembership extends InboundBase {
  kind: 'membership';
  chat: Chat;
  isBlocked: boolean;
}

/** Known to have no consequence (edits, posts, reactions, bots, echoes), or unknown. */
export interface InboundIgnored extends InboundBase {
  kind: 'ignored';
  /** The platform's name for its kind, for the message log. */
  what: string;
  chat: Chat | null;
  user: ChatUser | null;
  /** A person wrote to the bot, but the platform does not deliver the content. */
  isLost?: true;
}

export type InboundUpdate =
  InboundMessage | InboundPress | InboundDelivery | InboundMove | InboundMembership | InboundIgnored;

/** The content of one webhook request. */
export interface ParsedWebhook {
  updates: readonly InboundUpdate[];
  /** The response body that the platform expects; null for an empty one. */
  response: { contentType: string; body: string } | null;
}
