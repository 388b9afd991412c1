/** More calls than any platform shows in one message; the first contains text that would change direction on a screen. */
export const MANY_CALLS = Array.from({ length: 152 }, (_, i) => ({
  name: i === 0 ? 'pay\u202eecnef' : 'pay',
  args: { to: `account\u2066 ${i}`, note: 'for\u200b the parcel' },
}));

/** So large that the server shows none of its arguments. */
export const TOO_LARGE_CALL = { name: 'pay\u202eecnef', args: { note: 'x'.repeat(1_200_000) } };
