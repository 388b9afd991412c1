// Writes the bill of materials of what ships (CycloneDX JSON), from the lock file and the list of bundled packages: `npm run sbom --
// FILE`.
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { shippedPackages } from './bundled-packages.mjs';

const root = path.resolve(import.meta.dirname, '..');
const file = path.resolve(process.argv[2] ?? path.join(root, '.tmp', 'sbom.cdx.json'));
const args = ['sbom', '--package-lock-only', '--sbom-format=cyclonedx', '--sbom-type=application'];
const made = spawnSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
if (made.status !== 0) throw new Error(made.stderr);

const sbom = JSON.parse(made.stdout);
// npm names the project after its folder.
sbom.metadata.component.name = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')).name;
const shipped = new Set(shippedPackages(root).values());
// npm treats bundled packages as development dependencies.
sbom.components = sbom.components
  .filter((component) => shipped.has(component['bom-ref']))
  .map((component) => ({ ...component, scope: 'required', properties: [] }));
const refs = new Set([...sbom.components, sbom.metadata.component].map((component) => component['bom-ref']));
sbom.dependencies = sbom.dependencies
  .filter(({ ref }) => refs.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) }));
if (sbom.components.length < new Set(shipped).size) {
  const missing = [...shipped].filter((name) => !refs.has(name));
  throw new Error(`npm does not list ${missing.join(', ')}`);
}
mkdirSync(path.dirname(file), { recursive: true });
writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`);
console.log(`${file}: ${sbom.components.length} components`);
