const CHANNEL = 'waystation-session';
/** How long a tab without a session waits for another one. */
const ANSWER_MS = 400;

type Message =
  | { type: 'ask'; id: string }
  | { type: 'answer'; id: string; key: string }
  /** Somebody signed in or out: each tab looks where it stands. */
  | { type: 'changed' };

export interface SiblingEvents {
  /** The key that this tab gives away; null where its own connection to the server does not stand. */
  keyToGive: () => Promise<string | null>;
  onChanged: () => void;
  /** Another tab answered after `ask` had given up: it was busy, or its server slow. */
  onLateKey: (key: string) => void;
}

/** The other tabs of this browser with the same server. No page of another port can listen. */
export class Siblings {
  private readonly channel = new BroadcastChannel(CHANNEL);
  /** The question of this tab that nobody has answered yet, and what its first answer does. */
  private asked: { id: string; take: (key: string) => void } | null = null;

  constructor(private readonly events: SiblingEvents) {
    this.channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.type === 'changed') return events.onChanged();
      if (data.type === 'answer') return this.answered(data.id, data.key);
      void events.keyToGive().then((key) => key !== null && this.post({ type: 'answer', id: data.id, key }));
    });
  }

  /** The key of another tab; null if none answers in time. */
  ask(): Promise<string | null> {
    const id = crypto.getRandomValues(new Uint32Array(4)).join('-');
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.asked = { id, take: this.events.onLateKey };
        resolve(null);
      }, ANSWER_MS);
      const take = (key: string) => {
        clearTimeout(timer);
        resolve(key);
      };
      this.asked = { id, take };
      this.post({ type: 'ask', id });
    });
  }

  tellChanged(): void {
    this.post({ type: 'changed' });
  }

  private answered(id: string, key: string): void {
    if (this.asked?.id !== id) return;
    const { take } = this.asked;
    this.asked = null;
    take(key);
  }

  private post(message: Message): void {
    this.channel.postMessage(message);
  }
}
