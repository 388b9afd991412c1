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
}

/** The other tabs of this browser with the same server. No page of another port can listen. */
export class Siblings {
  private readonly channel = new BroadcastChannel(CHANNEL);

  constructor({ keyToGive, onChanged }: SiblingEvents) {
    this.channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.type === 'changed') onChanged();
      if (data.type !== 'ask') return;
      const { id } = data;
      void keyToGive().then((key) => key !== null && this.post({ type: 'answer', id, key }));
    });
  }

  /** The key of another tab; null if none answers. */
  ask(): Promise<string | null> {
    const id = crypto.getRandomValues(new Uint32Array(4)).join('-');
    return new Promise((resolve) => {
      const settled = new AbortController();
      const end = (key: string | null) => {
        settled.abort();
        clearTimeout(timer);
        resolve(key);
      };
      const timer = setTimeout(() => end(null), ANSWER_MS);
      const listen = ({ data }: MessageEvent<Message>) => {
        if (data.type === 'answer' && data.id === id) end(data.key);
      };
      this.channel.addEventListener('message', listen, { signal: settled.signal });
      this.post({ type: 'ask', id });
    });
  }

  tellChanged(): void {
    this.post({ type: 'changed' });
  }

  private post(message: Message): void {
    this.channel.postMessage(message);
  }
}
