import { runCli } from './cli/program.js';

process.exit(await runCli(['serve', ...process.argv.slice(2)]));
