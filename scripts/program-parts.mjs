// The parts of the built program, which src/parts.ts loads: what the bundler wrote as modules becomes CommonJS.
import path from 'node:path';
import { transform } from 'esbuild';
import { withoutRedundantNames } from './redundant-names.mjs';

export const TARGET = 'node20.19';
/** What modules know of themselves, in CommonJS. */
const META = {
  'import.meta.dirname': '__dirname',
  'import.meta.filename': '__filename',
  'import.meta.url': 'ownUrl',
};
const OWN_URL = 'const ownUrl = require("node:url").pathToFileURL(__filename).href;';

/** A module of one package that is imported from another, as the bundler makes it for each import. */
export const NEW_NAMESPACE = 'var __toESM = (mod, isNodeMode, target) =>';
/** The same one each time; a package that has not finished loading may have more exports the next time. In one line, as before. */
const ONE_NAMESPACE = [
  'var __namespaces = [new Map(), new Map()]',
  '__toESM = (mod, isNodeMode) => { ' +
    'const known = __namespaces[isNodeMode ? 1 : 0], size = mod == null ? 0 : Object.keys(mod).length; let one = known.get(mod); ' +
    'if (one === undefined || one.size !== size) known.set(mod, (one = { size, namespace: __newESM(mod, isNodeMode) })); ' +
    'return one.namespace; }',
  '__newESM = (mod, isNodeMode, target) =>',
].join(', ');

/** @param {string} text of the part that has the bundler's helpers */
export function withOneNamespace(text) {
  return replaced(text, NEW_NAMESPACE, ONE_NAMESPACE);
}

/** Parts are named by their digests: nothing else in a file looks like such a name. */
export function withParts(text, names) {
  return text.replace(/"(\.\.?\/)([\w-]+)\.js"/g, (whole, folder, name) =>
    names.includes(`${name}.js`) ? `"${folder}${name}.cjs"` : whole,
  );
}

/**
 * A part as CommonJS, in which packages find what they take for granted.
 * @param {string} map of the text @returns {Promise<{ code: string, map: string }>}
 */
export async function asPart(file, text, map) {
  const input = withoutRedundantNames(text).replace(/\/\/# sourceMappingURL=.*\n$/, '');
  return transform(`${input}${inlineMap(map)}`, {
    format: 'cjs',
    platform: 'node',
    target: TARGET,
    supported: { 'dynamic-import': false },
    define: META,
    // Strict, as modules are.
    banner: `"use strict";${text.includes('import.meta.url') ? OWN_URL : ''}`,
    sourcefile: path.basename(file),
    sourcemap: 'external',
    sourcesContent: false,
    legalComments: 'none',
    logLevel: 'warning',
  });
}

/** @throws {Error} where the text is another than this file was written for */
export function replaced(text, from, to) {
  if (text.split(from).length !== 2) throw new Error(`Not there, or not once: ${from}`);
  return text.replace(from, () => to);
}

function inlineMap(map) {
  return `//# sourceMappingURL=data:application/json;base64,${Buffer.from(map).toString('base64')}\n`;
}
