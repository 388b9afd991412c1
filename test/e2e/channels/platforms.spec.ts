import { randomInt } from 'node:crypto';
import { CHANNELS, createChannel } from '../../support/channels.js';
import { problemOf } from '../../support/problem.js';
import { ok } from '../../support/recording.js';
import { useSharedServer } from '../../support/shared-server.js';

interface Field {
  name: string;
  kind: 'digits' | 'text' | 'choice' | 'flag' | 'user_ids';
  required: boolean;
  secret: boolean;
  choices?: string[];
  suggested?: string;
  pattern?: string;
  hint: string;
}

interface PlatformRecord {
  type: string;
  title: string;
  preparation: string[];
  fields: Field[];
  faults: { remedy: string }[];
}

const server = useSharedServer();

/** A value that a person could enter. */
function entryFor({ kind, choices, pattern, name }: Field): unknown {
  if (kind === 'digits') return String(randomInt(1e9, 1e12));
  if (kind === 'choice') return choices![0];
  if (kind === 'flag') return false;
  if (kind === 'user_ids') return ['4711'];
  return pattern ? `${randomInt(1e9, 1e12)}:text` : `text of ${name} ${randomInt(1e12)}`;
}

describe('The list of platforms', () => {
  it('suggests that a server which nobody else reaches asks Telegram for its messages', async () => {
    const { items } = ok(await server.api.get(`${CHANNELS}/platforms`)).json<{ items: PlatformRecord[] }>();
    const suggested = items.flatMap(({ type, fields }) =>
      fields.flatMap((field) => (field.suggested === undefined ? [] : [[type, field.name, field.suggested]])),
    );
    expect(suggested).toEqual([['telegram', 'transport', 'polling']]);
  });

  it('says enough to create a channel of each, and nothing more is required', async () => {
    const { items } = ok(await server.api.get(`${CHANNELS}/platforms`)).json<{ items: PlatformRecord[] }>();
    expect(items.map(({ type }) => type)).toEqual(['telegram', 'whatsapp', 'slack']);
    for (const { type, title, preparation, fields, faults } of items) {
      expect(preparation.length).toBeGreaterThan(1);
      const remedies = faults.map(({ remedy }) => remedy).join('\n');
      expect(remedies).toContain(`WAYSTATION_${type.toUpperCase()}_API_URL`);
      expect(remedies).not.toContain('<');
      const filledIn = Object.fromEntries(fields.map((field) => [field.name, entryFor(field)]));
      const created = await createChannel(server.api, { channel_type: type, name: title, config: filledIn });
      expect(created.secret_fields.toSorted()).toEqual(
        fields.flatMap(({ name, secret }) => (secret ? [name] : [])).toSorted(),
      );
      for (const { name } of fields.filter(({ required }) => required)) {
        const { [name]: _left, ...config } = filledIn;
        const fault = problemOf(await server.api.post(CHANNELS, { channel_type: type, name: title, config }), 400);
        expect(fault.errors).toEqual([expect.objectContaining({ path: `config.${name}` })]);
      }
    }
  });
});
