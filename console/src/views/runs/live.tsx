import type { StreamState } from '../../api/event-stream.js';

const LIVE: Record<StreamState, { word: string; tone: string; title: string }> = {
  open: { word: 'live', tone: 'done', title: 'Changes show at once' },
  connecting: { word: 'connecting', tone: 'off', title: 'The list is connecting to the server' },
  paused: { word: 'paused', tone: 'off', title: 'The list goes on when the tab is in sight' },
  lost: { word: 'not live', tone: 'bad', title: 'The server does not answer; the list goes on as soon as it does' },
};

export function Live({ stream }: { stream: StreamState }) {
  const { word, tone, title } = LIVE[stream];
  return (
    <span className={`live ${tone}`} title={title}>
      {word}
    </span>
  );
}
