import { rememberedSeen } from './remembered-state.js';

const events = (from: number, count: number) =>
  Array.from({ length: count }, (_, i) => ({ thread_pk: 1, digest: `digest ${from + i}` }));

describe('The events that a thread has seen', () => {
  it('are those before a commit and those that it added', () => {
    const seen = rememberedSeen(rememberedSeen(new Set(), events(0, 2)), events(2, 1));
    expect([...seen!]).toEqual(['digest 0', 'digest 1', 'digest 2']);
  });

  it('are not known after a commit if they were not known before it', () => {
    expect(rememberedSeen(null, events(0, 1))).toBeNull();
  });

  it('leave the memory when they are too many', () => {
    const most = rememberedSeen(new Set(), events(0, 2_000));
    expect(most?.size).toBe(2_000);
    expect(rememberedSeen(most, events(2_000, 1))).toBeNull();
  });
});
