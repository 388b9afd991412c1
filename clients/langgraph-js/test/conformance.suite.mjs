// LangGraph's own suites, against the server that WAYSTATION_API_URL and WAYSTATION_TOKEN name.
import { randomUUID } from 'node:crypto';
import { deltaChannelHistoryTests, validate } from '@langchain/langgraph-checkpoint-validation';
import { WaystationSaver } from '../dist/esm/index.js';

const initializer = {
  checkpointerName: '@waystation/langgraph',
  // The suites use the same thread ids again and again.
  createCheckpointer: () => new WaystationSaver({ threadPrefix: `${randomUUID()}:` }),
};

validate(initializer);
deltaChannelHistoryTests(initializer);
