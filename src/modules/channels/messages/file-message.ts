import { cutText } from '../../../common/cut-text.js';
import { megabytes, safeFileName } from '../../../common/file-name.js';
import { mediaTypeOf } from '../../../common/media-type.js';
import { MAX_CAPTION } from '../platforms/outbound-message.js';
import type { ChannelMessage } from './channel-message.entity.js';
import type { OutboundDraft } from './outbox-queue.repository.js';

/** Limits of the files that a chat gets from one turn. */
const MAX_FILES = 10;
const MAX_BYTES = 50 * 1024 * 1024;

/** A file for a chat, as the agent describes it. */
interface SaidFile {
  digest: string;
  sizeBytes: number;
  name: string | null;
  mediaType: string | null;
  caption: string | null;
}

/** `payload` of an outbound row of kind `file`, as JSON. Its `text` is the caption. */
export interface FilePayload {
  /** SHA-256 of the bytes, which finds them together with the row's thread. */
  digest: string;
  size_bytes: number;
  name: string;
  media_type: string;
}

/** How a turn's files are sent. */
export interface FileParts {
  files: { text: string; payload: FilePayload }[];
  /** The note about the remaining files; null for none. */
  rest: string | null;
}

/** The first files of a turn, up to the limits. */
export function filePartsOf(files: readonly SaidFile[]): FileParts {
  let bytes = 0;
  const end = files.findIndex(({ sizeBytes }, at) => at >= MAX_FILES || (bytes += sizeBytes) > MAX_BYTES);
  const [sent, left] = end < 0 ? [files, []] : [files.slice(0, end), files.slice(end)];
  return { files: sent.map(partOf), rest: restOf(left) };
}

/** The note in place of a file. */
export function undeliverable({ name, size_bytes }: FilePayload): string {
  return `The agent sent ${name} (${megabytes(size_bytes)}), which cannot be delivered here.`;
}

function restOf(left: readonly SaidFile[]): string | null {
  if (left.length === 0) return null;
  if (left.length === 1) return undeliverable(partOf(left[0]!).payload);
  return `The agent sent ${left.length} more files, which cannot be delivered here.`;
}

function partOf({ digest, sizeBytes, name, mediaType, caption }: SaidFile): FileParts['files'][number] {
  const shown = safeFileName(name ?? '') ?? 'file';
  const payload = { digest, size_bytes: sizeBytes, name: shown, media_type: mediaTypeOf(mediaType, shown) };
  return { text: cutText((caption ?? '').trim(), MAX_CAPTION), payload };
}

/** What a person reads about a file that its agent cannot fetch. */
export function tooLargeFor(name: string | null, maxBytes: number): string {
  const shown = safeFileName(name ?? '') ?? 'The file';
  return `${shown} is larger than ${megabytes(maxBytes)}, so the agent cannot open it.`;
}

/** Tells the person that a file will not come. */
export function noteOfLost(row: ChannelMessage): OutboundDraft {
  return {
    channelId: row.channel_id,
    chat: { chatId: row.chat_id ?? '', topic: row.topic },
    kind: 'text',
    dedupKey: `lost:${row.id}`,
    text: undeliverable(JSON.parse(row.payload ?? '{}') as FilePayload),
    payload: null,
    agentName: row.agent_name,
    threadId: row.thread_id,
    runId: row.run_id,
  };
}
