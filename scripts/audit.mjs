// Known vulnerabilities, high or critical, in the packages that ship, bundled or installed with it. Exits with 1 if there are any, and
// with 2 if the registry does not answer and the state is unknown.
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { shippedPackages } from './bundled-packages.mjs';

const GRAVE = ['high', 'critical'];

const { stdout } = spawnSync('npm', ['audit', '--package-lock-only', '--json'], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  timeout: 120_000,
});

function parsed(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

const report = parsed(stdout ?? '');
if (!report.vulnerabilities) {
  console.error(
    `Not audited: the registry gave no answer (${report.message ?? report.error?.summary ?? 'no report'}).`,
  );
  process.exit(2);
}
const shipped = shippedPackages(path.dirname(import.meta.dirname));
const grave = Object.values(report.vulnerabilities).filter(
  ({ severity, nodes }) => GRAVE.includes(severity) && nodes.some((folder) => shipped.has(folder)),
);
for (const { name, severity, range, fixAvailable } of grave) {
  console.log(`${severity}  ${name} ${range}  ${fixAvailable ? 'a fix is available' : 'no fix yet'}`);
}
console.log(`${grave.length} packages of production with holes that are high or critical.`);
process.exit(grave.length > 0 ? 1 : 0);
