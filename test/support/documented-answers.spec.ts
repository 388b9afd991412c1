import { Answer } from './api-client.js';
import { checkDocumented } from './documented-answers.js';

const JSON_TYPE = 'application/json; charset=utf-8';

function answer(status: number, body: unknown, type = JSON_TYPE): Answer {
  return new Answer(status, { 'content-type': type }, Buffer.from(JSON.stringify(body)));
}

describe('An answer held against the documentation', () => {
  it('passes where it is as documented', () => {
    checkDocumented('GET', '/health?verbose', answer(200, { status: 'ok', version: '1' }));
  });

  it.each([
    ['a member that nobody documented', answer(200, { status: 'ok', version: '1', more: 1 }), /additional properties/],
    ['a missing member', answer(200, { status: 'ok' }), /required property 'version'/],
    ['another type', answer(200, { status: 'ok', version: 1 }), /must be string/],
    ['another media type', answer(200, { status: 'ok', version: '1' }, 'text/html'), /with text\/html/],
    ['another status', answer(418, {}), /Not documented: GET \/health 418/],
  ])('is refused for %s', (_name, faulty, message) => {
    expect(() => checkDocumented('GET', '/health', faulty)).toThrow(message);
  });

  it('lets checkpoints have the members that their agents reported', () => {
    const items = [{ own: 1 }];
    expect(() =>
      checkDocumented('GET', '/threads/a%2Fb/checkpoints', answer(200, { items, next_cursor: null })),
    ).toThrow(/required property/);
  });
});
