import type { PlatformField } from './channel-data.js';
import { configOf, faultsOf, labelOf } from './config-form.js';

const FIELDS: PlatformField[] = [
  {
    name: 'bot_token',
    kind: 'text',
    required: true,
    secret: true,
    pattern: '^\\d{1,20}:\\S+$',
    format: 'digits, a colon and the rest',
    hint: '',
  },
  { name: 'phone_number_id', kind: 'digits', required: false, secret: false, hint: '' },
  { name: 'transport', kind: 'choice', required: false, secret: false, choices: ['webhook', 'polling'], hint: '' },
  { name: 'allow_unsigned', kind: 'flag', required: false, secret: false, hint: '' },
  { name: 'approvers', kind: 'user_ids', required: false, secret: false, hint: '' },
];

describe('the form of a channel', () => {
  it('makes a config without what was left empty', () => {
    const entries = {
      bot_token: ' 1:a ',
      transport: 'polling',
      allow_unsigned: false,
      approvers: '7, 8\n9',
      phone_number_id: '',
    };
    expect(configOf(FIELDS, entries)).toEqual({ bot_token: '1:a', transport: 'polling', approvers: ['7', '8', '9'] });
    expect(configOf(FIELDS, { allow_unsigned: true })).toEqual({ allow_unsigned: true });
  });

  it('names each field that is wrong', () => {
    expect(faultsOf(FIELDS, { bot_token: 'secret', phone_number_id: '+49' })).toEqual({
      bot_token: 'It has to be digits, a colon and the rest.',
      phone_number_id: 'Digits only.',
    });
    expect(Object.keys(faultsOf(FIELDS, {}))).toEqual(['bot_token']);
    expect(faultsOf(FIELDS, { bot_token: '1:a' })).toEqual({});
  });

  it('labels fields in words', () => {
    expect(labelOf('bot_token')).toBe('Bot token');
    expect(labelOf('allow_unsigned')).toBe('Accept unsigned updates (testing only)');
  });
});
