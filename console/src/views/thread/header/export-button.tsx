import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Problem, type ProblemBody } from '../../../api/problem.js';
import { send } from '../../../api/client.js';
import { Button } from '../../../ui/button.js';
import { Failure } from '../../../ui/states.js';
import { Dialog } from '../../../ui/dialog.js';
import { useThread } from '../data/thread-context.js';

const MEGABYTE = 1_000_000;
/** Upper limit for the length of an export's last line. */
const LAST_LINE_BYTES = 400;

/** Downloads everything stored of the thread as JSON lines. */
export function ExportButton() {
  const { id, live } = useThread();
  const [bytes, setBytes] = useState(0);
  const { mutate, isPending, error, reset } = useMutation({
    mutationFn: async () => save(await readExport(id, setBytes), `${fileName(id)}.jsonl`),
    onSettled: () => setBytes(0),
  });
  const progress = bytes > MEGABYTE / 10 ? `Exporting, ${(bytes / MEGABYTE).toFixed(1)} MB` : 'Exporting…';
  return (
    <>
      <Button icon="download" isDisabled={isPending || live === 'deleted'} onPress={() => mutate()}>
        {isPending ? progress : 'Export'}
      </Button>
      {error && (
        <Dialog title="The export failed" isOpen onClose={reset} actions={<Button onPress={reset}>Close</Button>}>
          <Failure error={error} onRetry={() => mutate()} />
        </Dialog>
      )}
    </>
  );
}

/** @throws Problem if the server refused; Error for an incomplete export */
async function readExport(id: string, onProgress: (bytes: number) => void): Promise<Blob> {
  const response = await send(`/v1/threads/${encodeURIComponent(id)}/export`);
  if (!response.ok || !response.body) throw new Problem((await response.json()) as ProblemBody);
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  const reader = response.body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    parts.push(part.value);
    bytes += part.value.length;
    onProgress(bytes);
  }
  const file = new Blob(parts, { type: 'application/x-ndjson' });
  const tail = await file.slice(-LAST_LINE_BYTES).text();
  if (!tail.trimEnd().split('\n').at(-1)!.startsWith('{"end":'))
    throw new Error('The export broke off before its end. Nothing was saved.');
  return file;
}

function save(file: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(file);
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** A name that every file system accepts. */
function fileName(id: string): string {
  return id.replaceAll(/[^\w.-]+/g, '-').slice(0, 100) || 'thread';
}
