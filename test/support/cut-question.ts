/** Calls of which no platform shows all in one message, the first with a text that a screen would show turned round. */
export const MANY_CALLS = Array.from({ length: 152 }, (_, i) => ({
  name: i === 0 ? 'pay\u202eecnef' : 'pay',
  args: { to: `account\u2066 ${i}`, note: 'for\u200b the parcel' },
}));
