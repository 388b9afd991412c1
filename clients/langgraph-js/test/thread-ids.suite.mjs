import { expect, it } from 'vitest';
import { emptyCheckpoint } from '@langchain/langgraph-checkpoint';
import { WaystationSaver } from '../dist/esm/index.js';

it('refuses an empty thread_id, which graphs that have nothing to do with each other would share', async () => {
  // Nothing listens there: ids are refused before anything is sent.
  const saver = new WaystationSaver({ apiUrl: 'http://127.0.0.1:9', token: 'none', retries: 0 });
  const config = { configurable: { thread_id: '' } };
  const at = { configurable: { thread_id: '', checkpoint_id: 'c' } };
  for (const call of [
    () => saver.getTuple(config),
    () => saver.list(config).next(),
    () => saver.put(config, emptyCheckpoint(), { source: 'input', step: -1, parents: {} }, {}),
    () => saver.putWrites(at, [], 'task'),
    () => saver.deleteThread(''),
  ])
    await expect(call()).rejects.toThrow('"thread_id"');
});
