// `npm run migration:new -- add-notes`: a new migration from a template, registered in src/database/migrations.ts.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as prettier from 'prettier';

const DATABASE = path.resolve(import.meta.dirname, '../src/database');
const FOLDER = path.join(DATABASE, 'migrations');
const LIST = path.join(DATABASE, 'migrations.ts');

const [name] = process.argv.slice(2);
if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name ?? '')) {
  console.error('usage: npm run migration:new -- <name-in-kebab-case>');
  process.exit(2);
}

const stamp = nextStamp();
const className = name.replace(/(^|-)(.)/g, (_match, _dash, letter) => letter.toUpperCase()) + stamp;
const file = path.join(FOLDER, `${stamp}-${name}.ts`);
await writeFormatted(file, template());
await writeFormatted(LIST, registered(readFileSync(LIST, 'utf8')));
console.log(
  `${path.relative(process.cwd(), file)}\nNext: describe the change in up and down, and change the entities to match.`,
);

/** Milliseconds since 1970, but after every existing migration: they run in the order of their stamps. */
function nextStamp() {
  const stamps = readdirSync(FOLDER)
    .flatMap((entry) => /^\d+(?=-)/.exec(entry) ?? [])
    .map(Number);
  return Math.max(Date.now(), ...stamps.map((known) => known + 1));
}

function template() {
  return `import { TableColumn, type MigrationInterface, type QueryRunner } from 'typeorm';

/** What it brings, and for whom. */
export class ${className} implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.addColumn('thread', new TableColumn({ name: 'example', type: 'text', isNullable: true }));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.dropColumn('thread', 'example');
  }
}
`;
}

function registered(list) {
  const added = `import { ${className} } from './migrations/${stamp}-${name}.js';\n`;
  const behindImports = list.lastIndexOf('import ') + list.slice(list.lastIndexOf('import ')).indexOf('\n') + 1;
  const withImport = list.slice(0, behindImports) + added + list.slice(behindImports);
  return withImport.replace(/,?\s*\](?=;\s*$)/, `, ${className}]`);
}

async function writeFormatted(target, text) {
  const options = await prettier.resolveConfig(target);
  writeFileSync(target, await prettier.format(text, { ...options, filepath: target }));
}
