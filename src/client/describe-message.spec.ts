import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describeMessage, type MessageInput } from './describe-message.js';

interface Case {
  name: string;
  input: MessageInput;
  text: string;
}

/** The Python client is tested with the same cases. */
const FILE = path.resolve(import.meta.dirname, '../../clients/message-cases.json');
const cases = JSON.parse(readFileSync(FILE, 'utf8')) as Case[];

describe('A message', () => {
  it.each(cases.map((one): [string, Case] => [one.name, one]))('%s becomes one text', (_name, { input, text }) => {
    expect(describeMessage(input)).toBe(text);
  });
});
