/** Globals that CommonJS packages expect. */
const COMMONJS = `import { createRequire as requireOf } from 'node:module';
const require = requireOf(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;`;

/** SQLite's native code is a separate file. Packages mention the others, which this program never uses. */
export const NOT_BUNDLED = [
  'sqlite3',
  'swagger-ui-dist',
  '@nestjs/microservices',
  '@nestjs/websockets',
  '@fastify/static',
  'pg-native',
];

/** esbuild's options for the program and its packages. */
export const PROGRAM_BUNDLE = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  keepNames: true, // names of classes are names of tables, schemas and errors
  banner: { js: COMMONJS },
};
