// Installs the packages if node_modules is missing or older than package-lock.json, so that one command works on a fresh clone.
// `--unbuilt` and then `--build` do it in two steps.
import './check-node.mjs';
import { buildPackages, fetchPackages, isInstalled } from './install.mjs';

const only = process.argv[2];
if (!isInstalled()) {
  if (only !== '--build') await fetchPackages();
  if (only !== '--unbuilt') await buildPackages();
}
