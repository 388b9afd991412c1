export type Dialect = 'sqlite' | 'postgres';

/** The database of the current Jest project; set in jest.config.js. */
export function testDialect(): Dialect {
  const dialect = (globalThis as { WAYSTATION_TEST_DIALECT?: Dialect }).WAYSTATION_TEST_DIALECT;
  if (!dialect) throw new Error('Run this test in a project that names its database (see jest.config.js).');
  return dialect;
}
