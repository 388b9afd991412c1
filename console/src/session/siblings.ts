const CHANNEL = 'waystation-session';
/** How long a tab without a session waits for another one. */
const ANSWER_MS = 400;

type Message =
  | { type: 'ask'; id: string }
  | { type: 'answer'; id: string; key: string }
  /** Somebody signed in or out: every tab checks its session. */
  | { type: 'changed' };

export interface SiblingEvents {
  /** The key that this tab gives away; null if its own connection to the server is lost. */
  keyToGive: () => Promise<string | null>;
  onChanged: () => void;
  /** Another tab replied after `ask` had given up: it was busy, or its server was slow. */
  onLateKey: (key: string) => void;
}

/** The browser's other tabs on the same server. Pages of other ports cannot listen. */
export class Siblings {
  private readonly channel = new BroadcastChannel(CHANNEL);
  /** This tab's unanswered question, and the handler of its first reply. */
  private asked: { id: string; take: (key: string) => void } | null = null;

  constructor(private readonly events: SiblingEvents) {
    this.channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.type === 'changed') return events.onChanged();
      if (data.type === 'answer') return this.answered(data.id, data.key);
      void events.keyToGive().then((key) => key !== null && this.post({ type: 'answer', id: data.id, key }));
    });
  }

  /** Another tab's key; null if none replies in time. */
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
