const { chain, externalSchematic } = require('@angular-devkit/schematics');

/** Relative imports without an extension, which Node does not resolve in ES modules. */
const BARE_IMPORT = /(from '\.{1,2}\/[^']*?)(?<!\.js)';/g;

/**
 * Runs one of Nest's schematics and fixes its imports. New modules are not added to a root module: there are two, and the author chooses
 * the process.
 */
function generate(name) {
  return (options) =>
    chain([
      externalSchematic('@nestjs/schematics', name, name === 'module' ? { ...options, skipImport: true } : options),
      (tree) => {
        for (const action of tree.actions) {
          if (!action.path.endsWith('.ts') || action.kind === 'd') continue;
          const text = tree.read(action.path).toString();
          const mended = text.replace(BARE_IMPORT, "$1.js';");
          if (mended !== text) tree.overwrite(action.path, mended);
        }
        return tree;
      },
    ]);
}

module.exports = {
  module: generate('module'),
  service: generate('service'),
  controller: generate('controller'),
  provider: generate('provider'),
};
