import type { ConfigField } from '../channel-config.js';

/** What Meta's App Dashboard shows of a number and of the app that it belongs to. */
export const WHATSAPP_FIELDS: readonly ConfigField[] = [
  {
    name: 'phone_number_id',
    kind: 'digits',
    isRequired: true,
    isSecret: false,
    hint: 'the id of the phone number (not the number itself): App Dashboard, WhatsApp, API Setup',
  },
  {
    name: 'access_token',
    kind: 'text',
    isRequired: true,
    isSecret: true,
    hint: 'a token of a system user with whatsapp_business_messaging',
  },
  {
    name: 'app_secret',
    kind: 'text',
    isRequired: true,
    isSecret: true,
    hint: 'App Dashboard, App settings, Basic: Meta signs with it',
  },
  {
    name: 'verify_token',
    kind: 'text',
    isRequired: true,
    isSecret: true,
    hint: 'any text; enter the same in the App Dashboard beside the callback URL',
  },
  {
    name: 'waba_id',
    kind: 'digits',
    isRequired: false,
    isSecret: false,
    hint: 'the id of the WhatsApp Business Account; with it setup-webhook subscribes the app to the account',
  },
  {
    name: 'approvers',
    kind: 'user_ids',
    isRequired: false,
    isSecret: false,
    hint: 'ids of the people who may approve tool calls in the chat: phone numbers in digits, with country code',
  },
];

const GROUP = 'group:';

/** A group's chat id is marked, because it must never be taken for a phone number. */
export function groupChatId(groupId: string): string {
  return GROUP + groupId;
}

/** How the Cloud API wants a chat addressed: a group, a phone number, or a user id of somebody who hides the number. */
export function recipientOf(chatId: string): Readonly<Record<string, string>> {
  if (chatId.startsWith(GROUP)) return { recipient_type: 'group', to: chatId.slice(GROUP.length) };
  if (/^\d+$/.test(chatId)) return { recipient_type: 'individual', to: chatId };
  return { recipient_type: 'individual', recipient: chatId };
}

export function phoneNumberIdOf(config: Readonly<Record<string, unknown>>): string {
  return String(config.phone_number_id);
}

/** To answer a press is to write into its chat, as there is no other way; so its id says where. */
export function pressIdOf(chatId: string, messageId: string): string {
  return `${chatId} ${messageId}`;
}

export function partsOf(pressId: string): { chatId: string; messageId: string } {
  const at = pressId.lastIndexOf(' ');
  return { chatId: pressId.slice(0, at), messageId: pressId.slice(at + 1) };
}
