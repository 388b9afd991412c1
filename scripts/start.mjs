// `npm start`: installs what is missing, builds what has changed, then becomes the API server.
import './check-node.mjs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildPackages, fetchPackages, isInstalled, root, step } from './install.mjs';

if (!isInstalled()) {
  await fetchPackages();
  const build = step('Building Waystation', process.execPath, [path.join(root, 'scripts', 'build.mjs')]);
  await Promise.all([buildPackages(), build]);
}
await import('./ensure-built.mjs');

// In this process, so that a signal reaches the server exactly once.
process.argv = [process.execPath, path.join(root, 'dist', 'cli.js'), 'serve', ...process.argv.slice(2)];
await import(pathToFileURL(process.argv[1]).href);
