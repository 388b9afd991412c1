import { DomainError } from '../../../common/domain-error.js';
import { PLATFORMS, type ChannelType } from '../platforms/platforms.js';
import { readChannelConfig, splitSecrets } from './channel-config.reader.js';

const WHATSAPP = { phone_number_id: '1065', access_token: 'EAA', app_secret: 's3', verify_token: 'v' };

function read(type: ChannelType, config: unknown) {
  return readChannelConfig(PLATFORMS[type].fields, config);
}

function faultsOf(type: ChannelType, config: unknown): string[] {
  try {
    read(type, config);
  } catch (error) {
    if (error instanceof DomainError) return error.errors.map(({ path }) => path);
    throw error;
  }
  return [];
}

describe("A channel's config", () => {
  it('is taken as it is given, with the defaults of what was left out', () => {
    const given = { bot_token: '42:AA-b_c', approvers: ['7', '8'] };
    expect(read('telegram', given)).toEqual({ ...given, transport: 'webhook', allow_unsigned: false });
    expect(read('whatsapp', WHATSAPP)).toEqual(WHATSAPP);
    expect(read('slack', { bot_token: 'xoxb-1', signing_secret: 's' })).toEqual({
      bot_token: 'xoxb-1',
      signing_secret: 's',
    });
  });

  it('names all faults at once', () => {
    expect(faultsOf('whatsapp', { phone_number_id: '12a', app_secret: '', 'no name': 1 })).toEqual([
      'config',
      'config.phone_number_id',
      'config.access_token',
      'config.app_secret',
      'config.verify_token',
    ]);
  });

  it.each([null, undefined, 'text', 7, [], ['bot_token']])('cannot be %j', (config) => {
    expect(faultsOf('slack', config)).toEqual(['config']);
  });

  it.each<[ChannelType, Record<string, unknown>, string]>([
    ['telegram', { bot_token: 'no-colon' }, 'bot_token'],
    ['telegram', { bot_token: ':rest' }, 'bot_token'],
    ['telegram', { bot_token: '42:' }, 'bot_token'],
    ['telegram', { bot_token: '42:has space' }, 'bot_token'],
    ['telegram', { bot_token: `42:${'x'.repeat(510)}` }, 'bot_token'],
    ['telegram', { bot_token: 42 }, 'bot_token'],
    ['telegram', { bot_token: '42:x', transport: 'pigeon' }, 'transport'],
    ['telegram', { bot_token: '42:x', transport: null }, 'transport'],
    ['telegram', { bot_token: '42:x', allow_unsigned: 'true' }, 'allow_unsigned'],
    ['telegram', { bot_token: '42:x', approvers: '7' }, 'approvers'],
    ['telegram', { bot_token: '42:x', approvers: [7] }, 'approvers'],
    ['telegram', { bot_token: '42:x', approvers: [''] }, 'approvers'],
    ['whatsapp', { ...WHATSAPP, phone_number_id: 1065 }, 'phone_number_id'],
    ['whatsapp', { ...WHATSAPP, waba_id: '' }, 'waba_id'],
    ['whatsapp', { ...WHATSAPP, access_token: ' ' }, 'access_token'],
    ['whatsapp', { ...WHATSAPP, access_token: 'line\nend' }, 'access_token'],
    ['whatsapp', { ...WHATSAPP, app_secret: 'x'.repeat(513) }, 'app_secret'],
    ['whatsapp', { ...WHATSAPP, verify_token: 'a\0b' }, 'verify_token'],
    ['slack', { bot_token: 'x', signing_secret: '\ud800' }, 'signing_secret'],
  ])('of %s with %j has a faulty %s', (type, config, name) => {
    expect(faultsOf(type, config)).toEqual([`config.${name}`]);
  });

  it('that is faulty is never quoted, not even a secret in the place of a name', () => {
    const secret = '42:secret-Value';
    for (const config of [{ [secret]: 1 }, { bot_token: `${secret}\n` }, { bot_token: '1:x', transport: secret }]) {
      expect(() => read('telegram', config)).toThrow(
        expect.objectContaining({ message: expect.not.stringMatching(/secret-Value/) }),
      );
    }
  });

  it('is shown without its secrets, whose names are told', () => {
    const { fields } = PLATFORMS.telegram;
    expect(splitSecrets(fields, read('telegram', { bot_token: '42:x' }))).toEqual({
      shown: { transport: 'webhook', allow_unsigned: false },
      secretFields: ['bot_token'],
    });
  });

  it('keeps members that the platform does not know, and they mean nothing', () => {
    const extra = { colour: 'red', transport: 'polling', ui: { lines: [1, null] }, language_code: 'de', empty: null };
    const config = read('slack', { bot_token: 'xoxb-1', signing_secret: 's', ...extra, verification_code: '123456' });
    expect(config.transport).toBeUndefined();
    expect(splitSecrets(PLATFORMS.slack.fields, config)).toEqual({
      shown: extra,
      secretFields: ['bot_token', 'signing_secret'],
    });
  });

  it.each<[string, unknown]>([
    ['webhookSecret', 'x'],
    ['page_token', 1],
    ['apikey', ''],
    ['api_key', null],
    ['auth', {}],
    ['pin', '1234'],
    ['verificationCode', '123456'],
    ['nested', [{ deep: { client_secret: 'x' } }]],
    ['note', 'the token is 42:AA-value_of_the_token'],
    ['address', 'https://api.telegram.org/bot42:AA-value_of_the_token/getMe'],
    ['address', 'https://me:word@example.com/'],
    ['other', '123456789:AAF-of_another_bot_0123456789'],
    ['other', 'xoxb-1234'],
    ['other', ['EAAGm0PX4ZCpsBA']],
    ['other', '0f8fad5bd9cb469fa16570867728950e'],
    ['other', '-----BEGIN PRIVATE KEY-----'],
    ['names', { '42:AA-value_of_the_token': 1 }],
  ])('does not show the unknown member %s with %j, but names it', (name, value) => {
    const { fields } = PLATFORMS.telegram;
    const config = read('telegram', { bot_token: '42:AA-value_of_the_token', [name]: value });
    expect(splitSecrets(fields, config)).toEqual({
      shown: { transport: 'webhook', allow_unsigned: false },
      secretFields: ['bot_token', name],
    });
  });

  it.each<[string, Record<string, unknown>]>([
    ['too many', Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`m${i}`, i]))],
    ['too long', { text: 'x'.repeat(17_000) }],
    ['too deep', { deep: JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`) as unknown }],
    ['of no name', { '*': { transport: 'polling' } }],
    ['of a name that is none', JSON.parse('{"__proto__":{"transport":"polling"}}') as Record<string, unknown>],
  ])('is refused where its unknown members are %s', (_, extra) => {
    expect(faultsOf('slack', { bot_token: 'x', signing_secret: 's', ...extra })).toEqual(['config']);
  });
});
