import './check-node.js';

// Run by the build, and where the program is installed: has the engine compile what is started most, and keeps that.
const { rehearse, runApart } = await import('./cli/rehearsal.js');
const APART = '--apart';
if (!process.argv.includes(APART)) process.exit(runApart([APART]));
await rehearse();
const { keepCompiled } = await import('./parts.js');
keepCompiled();
process.exit();
