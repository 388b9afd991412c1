import { NotFoundException, ServiceUnavailableException } from '@nestjs/common';
import { DomainError, invalidField } from '../common/domain-error.js';
import { problemOf } from './problem.js';

it('lists twenty wrong fields at most, but all of a batch of events', () => {
  const errors = Array.from({ length: 50 }, (_, i) => ({ path: `f${i}`, detail: 'is wrong' }));
  const listed = (code: string) => problemOf(new DomainError('invalid', code, 'wrong', { errors })).document.errors;
  expect(listed('invalid_request')).toHaveLength(20);
  expect(listed('no_event_saved')).toHaveLength(50);
});

describe('A failure becomes a problem', () => {
  it('with the fields at fault', () => {
    const { status, level, document } = problemOf(invalidField('limit', 'must be a number'));
    expect([status, level]).toEqual([400, 'info']);
    expect(document).toEqual({
      type: 'urn:waystation:problem:invalid_request',
      title: 'Bad Request',
      status: 400,
      detail: 'limit: must be a number',
      code: 'invalid_request',
      errors: [{ path: 'limit', detail: 'must be a number' }],
    });
  });

  it.each([
    ['unauthenticated', 401, { 'WWW-Authenticate': 'Bearer' }],
    ['conflict', 409, {}],
    ['unavailable', 503, { 'Retry-After': '2' }],
    ['rate_limited', 429, { 'Retry-After': '2' }],
    ['storage_full', 507, {}],
  ] as const)('of kind %s with status %i', (kind, status, headers) => {
    const isRetryable = kind === 'unavailable' || kind === 'rate_limited';
    const problem = problemOf(new DomainError(kind, 'x', 'y', isRetryable ? { retryAfterSeconds: 1.2 } : {}));
    expect([problem.status, problem.headers]).toEqual([status, headers]);
  });

  it('with the methods that would do', () => {
    const error = new DomainError('method_not_allowed', 'x', 'y', { extensions: { allow: ['GET', 'HEAD'] } });
    expect(problemOf(error).headers).toEqual({ Allow: 'GET, HEAD' });
  });

  it('when the framework reports it', () => {
    expect(problemOf(new NotFoundException('no such file'))).toMatchObject({
      status: 404,
      code: 'not_found',
      level: 'info',
    });
  });

  it.each([
    new TypeError('secret internals'),
    new ServiceUnavailableException('secret internals'),
    'secret internals',
    undefined,
  ])('without a word about the inside when it is a bug', (error) => {
    const { status, level, document } = problemOf(error);
    expect([status, level, document.code]).toEqual([500, 'error', 'internal_error']);
    expect(JSON.stringify(document)).not.toContain('internals');
  });
});
