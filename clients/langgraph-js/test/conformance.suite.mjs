// LangGraph's own suites, on the server of WAYSTATION_API_URL and WAYSTATION_TOKEN.
import { randomUUID } from 'node:crypto';
import { deltaChannelHistoryTests, validate } from '@langchain/langgraph-checkpoint-validation';
import { WaystationSaver } from '../dist/esm/index.js';

const initializer = {
  checkpointerName: '@waystation/langgraph',
  // The suites reuse their thread ids.
  createCheckpointer: () => new WaystationSaver({ threadPrefix: `${randomUUID()}:` }),
};

validate(initializer);
deltaChannelHistoryTests(initializer);
