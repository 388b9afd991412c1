import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { packedManifest } from '../../src/common/packed-manifest.js';

const PROJECT = path.resolve(import.meta.dirname, '../..');
const textOf = (file: string) => readFileSync(path.join(PROJECT, file), 'utf8');

interface LockedPackage {
  resolved?: string;
  link?: boolean;
}

interface Service {
  image?: string;
  mem_limit?: string;
  entrypoint?: string[];
  environment?: Record<string, string>;
  depends_on?: Record<string, unknown>;
  volumes?: string[];
  ports?: string[];
}

const compose = parse(textOf('deploy/compose.yaml'), { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
};
/** Our settings and Node's own. */
const settings = new Set([...(textOf('.env.example').match(/^[A-Z_]+(?==)/gm) ?? []), 'NODE_OPTIONS']);

describe('The package', () => {
  it('tells nobody that it was installed', () => {
    // swagger-ui-dist depends on a package whose install script reports installations. An empty package replaces it, and the packed file
    // needs neither.
    const { packages } = JSON.parse(textOf('package-lock.json')) as { packages: Record<string, LockedPackage> };
    const places = Object.keys(packages).filter((place) => place.endsWith('node_modules/@scarf/scarf'));
    expect(places.map((place) => packages[place])).toEqual([{ resolved: 'tools/no-scarf', link: true }]);
    const manifest = JSON.parse(textOf('package.json')) as Parameters<typeof packedManifest>[0];
    expect(Object.keys((packedManifest(manifest) as { dependencies: object }).dependencies)).toEqual(['sqlite3']);
    expect(JSON.parse(textOf('tools/no-scarf/package.json'))).not.toHaveProperty('scripts');
  });
});

describe('The files for deployment', () => {
  it('use only settings that exist', () => {
    const used = Object.entries(compose.services)
      .filter(([name]) => name !== 'postgres')
      .flatMap(([, { environment = {} }]) => Object.keys(environment));
    const unit = textOf('deploy/waystation.service').match(/\b(?:WAYSTATION_[A-Z_]+|DATABASE_URL)\b/g) ?? [];
    expect([...used, ...unit].filter((name) => !settings.has(name))).toEqual([]);
  });

  it('of compose hang together: services and volumes that are named are there, and ports stay on this machine', () => {
    for (const { depends_on = {}, volumes = [], ports = [] } of Object.values(compose.services)) {
      for (const name of Object.keys(depends_on)) expect(compose.services).toHaveProperty(name);
      const named = volumes.filter((volume) => !volume.startsWith('./'));
      for (const volume of named) expect(compose.volumes).toHaveProperty(volume.split(':')[0]!);
      for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
  });

  it('give agents a token of their own and nothing of the servers', () => {
    const { environment = {}, volumes = [], depends_on = {} } = compose.services.agents!;
    expect(environment.WAYSTATION_TOKEN).toBe('${WAYSTATION_AGENT_TOKEN:-}');
    expect(volumes.some((volume) => volume.startsWith('secret:'))).toBe(false);
    expect(environment).not.toHaveProperty('DATABASE_URL');
    expect(Object.keys(depends_on)).toEqual(['api-1']);
  });

  it('limit the memory of every container, and let images be pinned', () => {
    const services = Object.entries(compose.services);
    const unlimited = services.filter(([, { mem_limit }]) => !/^(\$\{\w+:-)?\d+[mg]\}?$/.test(mem_limit ?? ''));
    expect(unlimited.map(([name]) => name)).toEqual([]);
    const foreign = services.map(([, { image }]) => image!).filter((image) => image !== 'waystation');
    for (const image of foreign) expect(image).toMatch(/^\$\{\w+:-[\w./-]+:[\w.-]+\}$/);
    expect(textOf('Dockerfile')).toMatch(/^ARG BASE_IMAGE=/m);
  });

  it('let the instances share one secret that is made before they start, and hold none themselves', () => {
    const { 'api-1': one, 'api-2': two, secret } = compose.services;
    expect(one!.environment).toEqual(two!.environment);
    expect(one!.volumes).toEqual(secret!.volumes);
    expect(one!.environment!.WAYSTATION_SECRET_FILE).toBe(secret!.environment!.WAYSTATION_SECRET_FILE);
    expect(secret!.environment).not.toHaveProperty('DATABASE_URL');
    expect(one!.environment!.DATABASE_URL).toMatch(/:\$\{POSTGRES_PASSWORD:\?[^}]*\}@/);
  });
});
