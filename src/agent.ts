import { runProcess } from './cli/run-process.js';

await runProcess(['agent', ...process.argv.slice(2)]);
