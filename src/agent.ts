import { runCli } from './cli/program.js';

process.exit(await runCli(['agent', ...process.argv.slice(2)]));
