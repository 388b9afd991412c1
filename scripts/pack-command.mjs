// Before packing: writes the command that npm installs with the package, into the folder that package.json names as `directories.bin`.
// After packing, with --remove: takes it away again. While the folder is there, npx in the clone takes three times as long; see link-command.mjs.
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const folder = path.join(path.dirname(import.meta.dirname), 'dist', 'command');
rmSync(folder, { recursive: true, force: true });
if (!process.argv.includes('--remove')) {
  const command = path.join(folder, 'bin', 'waystation');
  mkdirSync(path.dirname(command), { recursive: true });
  // CommonJS, so that an older Node, too, gets as far as its version is checked.
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "commonjs" }\n');
  writeFileSync(command, "#!/usr/bin/env node\nimport('../../cli.js');\n");
  chmodSync(command, 0o755);
}
