// Known holes, high or critical, in the packages that ship. Where the registry does not answer this says so and passes:
// a build must not depend on it.
import { spawnSync } from 'node:child_process';

const GRAVE = ['high', 'critical'];

const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--package-lock-only', '--json'], {
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  timeout: 120_000,
});

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

const report = parsed(stdout ?? '');
if (!report.vulnerabilities) {
  console.log(`Not audited: the registry did not answer (${report.message ?? report.error?.summary ?? 'no report'}).`);
  process.exit(0);
}
const grave = Object.values(report.vulnerabilities).filter(({ severity }) => GRAVE.includes(severity));
for (const { name, severity, range, fixAvailable } of grave) {
  console.log(`${severity}  ${name} ${range}  ${fixAvailable ? 'a fix is available' : 'no fix yet'}`);
}
console.log(`${grave.length} packages of production with holes that are high or critical.`);
process.exit(grave.length > 0 ? 1 : 0);
