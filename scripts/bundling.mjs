/** What packages in CommonJS take for granted. */
const COMMONJS = `import { createRequire as requireOf } from 'node:module';
const require = requireOf(import.meta.url), __filename = import.meta.filename, __dirname = import.meta.dirname;`;

/** SQLite's program is a file of its own. The packages look for the others, and this program uses none of them. */
export const NOT_BUNDLED = [
  'sqlite3',
  'swagger-ui-dist',
  '@nestjs/microservices',
  '@nestjs/websockets',
  '@fastify/static',
  'pg-native',
];

/** How esbuild puts modules of the program and their packages together. */
export const PROGRAM_BUNDLE = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  keepNames: true, // names of classes are names of tables, schemas and errors
  banner: { js: COMMONJS },
};
