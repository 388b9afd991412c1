import './check-node.js';

// Nothing else may be loaded before the check.
const { runProcess } = await import('./cli/run-process.js');
await runProcess(['serve', ...process.argv.slice(2)]);
