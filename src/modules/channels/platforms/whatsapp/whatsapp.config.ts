import { commonFields, type ConfigField, type PlatformFault, optionalField, secretField } from '../platform.js';
import { FOREIGN_HANDSHAKE, UNPROVEN_REQUEST } from '../platform-failure.js';

/** What Meta's App Dashboard shows of a number and its app. */
export const WHATSAPP_FIELDS: readonly ConfigField[] = [
  {
    ...{ name: 'phone_number_id', kind: 'digits', isRequired: true, isSecret: false },
    hint: 'the id of the phone number (not the number itself): App Dashboard, WhatsApp, API Setup',
  },
  secretField('access_token', 'a token of a system user with whatsapp_business_messaging'),
  secretField('app_secret', 'App Dashboard, App settings, Basic: Meta signs with it'),
  secretField('verify_token', 'any text; enter the same in the App Dashboard beside the callback URL'),
  optionalField(
    'waba_id',
    'digits',
    'the id of the WhatsApp Business Account; with it setup-webhook subscribes the app to the account',
  ),
  ...commonFields(
    'ids of the people who may approve tool calls in the chat: phone numbers in digits, with country code',
  ),
];

const GROUP = 'group:';

/** Marks a group's chat id, so that it is never taken for a phone number. */
export function groupChatId(groupId: string): string {
  return GROUP + groupId;
}

/** The Cloud API's address of a chat: a group, a phone number, or the user id of somebody who hides the number. */
export function recipientOf(chatId: string): Readonly<Record<string, string>> {
  if (chatId.startsWith(GROUP)) return { recipient_type: 'group', to: chatId.slice(GROUP.length) };
  if (/^\d+$/.test(chatId)) return { recipient_type: 'individual', to: chatId };
  return { recipient_type: 'individual', recipient: chatId };
}

export function phoneNumberIdOf(config: Readonly<Record<string, unknown>>): string {
  return String(config.phone_number_id);
}

/** A press can only be answered with a message in its chat, so its id names the chat. */
export function pressIdOf(chatId: string, messageId: string): string {
  return `${chatId} ${messageId}`;
}

export function partsOf(pressId: string): { chatId: string; messageId: string } {
  const at = pressId.lastIndexOf(' ');
  return { chatId: pressId.slice(0, at), messageId: pressId.slice(at + 1) };
}

/** Common error codes, which stand before the words: developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes. */
export const WHATSAPP_FAULTS: readonly PlatformFault[] = [
  {
    pattern: /^190:|access token/i,
    remedy:
      'The access token is wrong or has expired; those of the page API Setup last a day. Make one of a system user (Business settings, System users) with whatsapp_business_messaging, then replace the config.',
  },
  {
    pattern: /^(10|200|3):|permission/i,
    remedy:
      'The access token may not do this. Give its system user the number and the account, and make the token with whatsapp_business_messaging and whatsapp_business_management.',
  },
  {
    pattern: /^133010:|not registered/i,
    remedy:
      'The number is not registered for the Cloud API. Register it in WhatsApp Manager, or with its PIN by the call /register of the Graph API.',
  },
  {
    pattern: /^(100|33):.*(unsupported|does not exist|no such|object)/i,
    remedy:
      'Meta knows no such number or account for this token. Copy the phone number id, not the number itself, from App Dashboard, WhatsApp, API Setup, then replace the config.',
  },
  {
    pattern: /^131047:/,
    remedy: 'WhatsApp lets you answer for 24 hours after the last message of a person. They have to write first.',
  },
  {
    pattern: /^131030:/,
    remedy:
      'A test number writes only to people on its list. Add the person in App Dashboard, WhatsApp, API Setup, To.',
  },
  {
    pattern: /^(130429|131056|131048|80007|4):|rate limit/i,
    remedy: 'WhatsApp limits how fast a number may go on. Waystation waits and tries again; nothing is lost.',
  },
  {
    pattern: /^131026:/,
    remedy: 'The person has no WhatsApp at this number, has blocked yours, or uses an old version.',
  },
  {
    pattern: /^(368|131031):/,
    remedy: 'Meta has restricted the account. Its quality and its appeals are in WhatsApp Manager.',
  },
  {
    pattern: new RegExp(UNPROVEN_REQUEST),
    remedy:
      'Copy the app secret again from App Dashboard, App settings, Basic: Meta signs with it. Then replace the config.',
  },
  {
    pattern: new RegExp(FOREIGN_HANDSHAKE),
    remedy:
      'Enter the verify token of this config in the App Dashboard beside the callback URL, or replace the config with the one that stands there.',
  },
];
