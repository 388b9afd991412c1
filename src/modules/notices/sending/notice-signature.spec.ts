import { newSecret, signedHeaders } from './notice-signature.js';
import { askedPause, pauseAfter } from './retry-plan.js';

/** The test example of the Standard Webhooks libraries. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const CONTENT = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', atMs: 1_614_265_330_000, body: '{"test": 2432232314}' };
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

describe('The signature of a notice', () => {
  it('is the one of the example of Standard Webhooks', () => {
    expect(signedHeaders(CONTENT, [SECRET])).toEqual({
      'webhook-id': CONTENT.id,
      'webhook-timestamp': '1614265330',
      'webhook-signature': SIGNATURE,
    });
  });

  it('is made with each secret, so that a receiver may know either', () => {
    const signatures = signedHeaders(CONTENT, [newSecret(), SECRET])['webhook-signature']!.split(' ');
    expect(signatures).toEqual([expect.stringMatching(/^v1,[\w+/]{43}=$/), SIGNATURE]);
  });

  it('has secrets of 32 random bytes', () => {
    const [one, other] = [newSecret(), newSecret()];
    expect(Buffer.from(one.replace('whsec_', ''), 'base64')).toHaveLength(32);
    expect(one).not.toBe(other);
  });
});

describe('The attempts of a delivery', () => {
  it('come after 5 s, 5 and 30 min, 2, 5, 10, 14, 20 and 24 h, and no more', () => {
    const pauses = Array.from({ length: 10 }, (_, i) => pauseAfter(i + 1, null, () => 0));
    const HOUR_MS = 3_600_000;
    const hours = [2, 5, 10, 14, 20, 24].map((count) => count * HOUR_MS);
    expect(pauses).toEqual([5_000, 300_000, 1_800_000, ...hours, null]);
    expect(pauseAfter(1, null, () => 1)).toBe(5_500);
  });

  it('wait for as long as the receiver asks, up to an hour', () => {
    expect(pauseAfter(1, askedPause('120', 0), () => 0)).toBe(120_000);
    expect(pauseAfter(1, askedPause('86400', 0), () => 0)).toBe(3_600_000);
    expect(pauseAfter(4, askedPause('1', 0), () => 0)).toBe(7_200_000);
    expect(askedPause('Thu, 01 Jan 1970 00:01:00 GMT', 20_000)).toBe(40_000);
    expect([askedPause('soon', 0), askedPause(null, 0), askedPause('-5', 1e15)]).toEqual([null, null, 0]);
  });
});
