import { SendPace } from './send-pace.js';

describe('The pace of sending', () => {
  it('spreads the messages of one account over the second', () => {
    const pace = new SendPace();
    const waits = Array.from({ length: 61 }, () => pace.takeSlot('bot', 30, 1000));
    expect(waits[0]).toBe(0);
    expect(waits[60]).toBeCloseTo(2000);
    expect(pace.takeSlot('other', 30, 1000)).toBe(0);
  });

  it('holds a chat back that the platform has limited, and no other', () => {
    const pace = new SendPace();
    pace.noteLimit('bot', 'a', 5000, 1000);
    expect(pace.waitMs('bot', 'a', 2000)).toBe(3000);
    expect(pace.waitMs('bot', 'b', 2000)).toBe(0);
  });

  it('holds the whole account back once a second chat is limited', () => {
    const pace = new SendPace();
    pace.noteLimit('bot', 'a', 5000, 1000);
    pace.noteLimit('bot', 'b', 6000, 1500);
    expect(pace.waitMs('bot', 'c', 2000)).toBe(4000);
    expect(pace.waitMs('other', 'c', 2000)).toBe(0);
    expect(pace.waitMs('bot', 'c', 7000)).toBe(0);
  });
});
