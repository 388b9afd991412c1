/** Calls of which no platform shows all in one message, the first with a text that a screen would show turned round. */
export const MANY_CALLS = Array.from({ length: 152 }, (_, i) => ({
  name: i === 0 ? 'pay\u202eecnef' : 'pay',
  args: { to: `account\u2066 ${i}`, note: 'for\u200b the parcel' },
}));

/** So large that the server shows nothing of its arguments. */
export const TOO_LARGE_CALL = { name: 'pay\u202eecnef', args: { note: 'x'.repeat(1_200_000) } };
