import type { ApiRequest, ApiResponse } from '../../http/api-request.js';
import { whileHeld } from '../../http/body/body-reader.js';
import { sendJsonText } from '../../http/send-json.js';
import { readCheckpoint, readWrites, type SentCheckpoint, type SentWrites } from './state-body.js';
import type { Body, StoredCheckpoint } from './state.service.js';

interface Exchange {
  request: ApiRequest;
  response: ApiResponse;
  body: Buffer;
}

/** Reads a checkpoint and stores it. 201 for a new one, otherwise 200. */
export async function takeCheckpoint(
  { request, response, body }: Exchange,
  store: (sent: Body<SentCheckpoint>) => Promise<StoredCheckpoint>,
): Promise<void> {
  const { isNew, checkpointId, digests } = await whileHeld(request, async (onQueued) => {
    return store({ sent: await readCheckpoint(body), bytes: body.length, onQueued });
  });
  response.statusCode = isNew ? 201 : 200;
  await sendJsonText(response, JSON.stringify({ checkpoint_id: checkpointId, digests: Object.fromEntries(digests) }));
}

/** Reads the writes of a task and stores them. */
export function takeWrites(
  { request, body }: Omit<Exchange, 'response'>,
  store: (sent: Body<SentWrites>) => Promise<void>,
): Promise<void> {
  return whileHeld(request, async (onQueued) => {
    await store({ sent: await readWrites(body), bytes: body.length, onQueued });
  });
}
