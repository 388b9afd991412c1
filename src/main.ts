import { runProcess } from './cli/run-process.js';

await runProcess(['serve', ...process.argv.slice(2)]);
