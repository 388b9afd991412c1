// `npm start`: installs what is missing, builds what has changed, then becomes the API server.
import './ensure-installed.mjs';
import './ensure-built.mjs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

// In this very process, so that a signal reaches the server once, from wherever it comes.
process.argv = [process.execPath, path.join(root, 'dist', 'cli.js'), 'serve', ...process.argv.slice(2)];
await import(pathToFileURL(process.argv[1]).href);
