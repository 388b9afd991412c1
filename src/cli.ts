#!/usr/bin/env node
import './check-node.js';

// Nothing else may be loaded before the check.
const args = process.argv.slice(2);
if (args[0] === 'hook' && args[1] === 'run' && !args.includes('--help') && !args.includes('-h')) {
  // Runs at every tool call, so it loads nothing for other commands.
  const { runHookProcess } = await import('./cli/hook/hook-process.js');
  await runHookProcess(args.slice(2));
}
const { runProcess } = await import('./cli/run-process.js');
await runProcess(args);
