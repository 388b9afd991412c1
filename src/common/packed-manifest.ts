interface Manifest {
  name: string;
  version: string;
  description: string;
  license: string;
  engines: Record<string, string>;
  exports: unknown;
  dependencies: Record<string, string>;
}

/** Packages that the bundle leaves out, because they contain native code. */
export const NOT_BUNDLED = ['sqlite3'];

/**
 * The package.json of the built program, for the packed file and the image of agents. It depends only on packages outside the bundle.
 * @param manifest of the project, or of an installed program
 */
export function packedManifest({
  name,
  version,
  description,
  license,
  engines,
  exports,
  dependencies,
}: Manifest): object {
  return {
    ...{ name, version, description, license, type: 'module', engines, exports },
    bin: { waystation: 'dist/cli.js' },
    scripts: { postinstall: 'node tools/ready-sqlite3.mjs' },
    dependencies: Object.fromEntries(NOT_BUNDLED.map((one) => [one, dependencies[one]])),
    allowScripts: { sqlite3: true },
  };
}
