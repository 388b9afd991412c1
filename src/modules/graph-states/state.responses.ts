import type { ApiRequest, ApiResponse } from '../../http/api-request.js';
import { whileHeld } from '../../http/body/body-reader.js';
import { sendJsonText } from '../../http/send-json.js';
import {
  readCheckpoint,
  readStep,
  readWrites,
  type SentCheckpoint,
  type SentStep,
  type SentWrites,
} from './state-body.js';
import type { Body, StoredCheckpoint } from './state.service.js';
import type { StoredStep } from './state-steps.service.js';

interface Exchange {
  request: ApiRequest;
  response: ApiResponse;
  body: Buffer;
}

/** 201 for a new checkpoint, otherwise 200. */
export async function takeCheckpoint(
  { request, response, body }: Exchange,
  store: (sent: Body<SentCheckpoint>) => Promise<StoredCheckpoint>,
): Promise<void> {
  const stored = await whileHeld(request, async (onQueued) => {
    return store({ sent: await readCheckpoint(body), bytes: body.length, onQueued });
  });
  response.statusCode = stored.isNew ? 201 : 200;
  await sendJsonText(response, JSON.stringify(shown(stored)));
}

export async function takeStep(
  { request, response, body }: Exchange,
  store: (sent: Body<SentStep>) => Promise<StoredStep>,
): Promise<void> {
  const { checkpoint, reported } = await whileHeld(request, async (onQueued) => {
    return store({ sent: await readStep(body), bytes: body.length, onQueued });
  });
  await sendJsonText(response, JSON.stringify({ checkpoint: checkpoint && shown(checkpoint), events: reported }));
}

function shown({ checkpointId, digests }: StoredCheckpoint) {
  return { checkpoint_id: checkpointId, digests: Object.fromEntries(digests) };
}

export function takeWrites(
  { request, body }: Omit<Exchange, 'response'>,
  store: (sent: Body<SentWrites>) => Promise<void>,
): Promise<void> {
  return whileHeld(request, async (onQueued) => {
    await store({ sent: await readWrites(body), bytes: body.length, onQueued });
  });
}
