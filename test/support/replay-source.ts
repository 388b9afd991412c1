import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { rawAt, rawElements } from './raw-json.js';

/** One recorded agent run: its messages as exact JSON text. */
export interface RecordedRun {
  id: string;
  messages: string[];
}

/** The folder of recorded runs: `WAYSTATION_REPLAY_DIR`, or one beside the project. */
export const REPLAY_DIR = path.resolve(
  process.env.WAYSTATION_REPLAY_DIR ?? path.join(import.meta.dirname, '../../../shared/data'),
);

/** All runs of all non-empty `*.jsonl` files; none if the folder does not exist. */
export function recordedRuns(): RecordedRun[] {
  if (!existsSync(REPLAY_DIR)) return [];
  const files = readdirSync(REPLAY_DIR).filter((name) => name.endsWith('.jsonl'));
  return files.sort().flatMap((name) => runsOf(path.join(REPLAY_DIR, name)));
}

function runsOf(file: string): RecordedRun[] {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const runs = lines.map((line) => ({
    id: JSON.parse(rawAt(line, 'id') ?? '""') as string,
    messages: rawElements(rawAt(line, 'messages') ?? '[]'),
  }));
  return runs.filter(({ messages }) => messages.length > 0);
}
