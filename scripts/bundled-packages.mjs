// Lists the packages that are bundled or installed with the program, and the licences that must accompany them.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const LICENSE_FILE = /^(licen[cs]e|copying|copyright|notice)/i;

/** For packages that name this licence without including its text. */
const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

/** File in dist that lists the folders of the bundled packages. */
export const BUNDLED_LIST = 'bundled-packages.json';

/**
 * The folders of the packages that contain the files, relative to `root`.
 * @throws {Error} for a package missing from the lock file: the bill of materials and the audit would not include it
 */
export function bundledPackages(root, files) {
  const { packages } = lockOf(root);
  const folders = files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]).filter(Boolean);
  const unique = [...new Set(folders)].sort();
  const unknown = unique.filter((folder) => packages[folder] === undefined);
  if (unknown.length > 0) throw new Error(`Not in package-lock.json, but bundled: ${unknown.join(', ')}`);
  return unique;
}

/**
 * All packages that ship, bundled or installed with the program.
 * @returns {Map<string, string>} `name@version` by folder
 */
export function shippedPackages(root) {
  const { packages } = lockOf(root);
  // A link leads to a package of this project.
  const installed = Object.entries(packages)
    .filter(([folder, { dev, link }]) => folder.includes('node_modules/') && !dev && !link)
    .map(([folder]) => folder);
  const bundled = JSON.parse(readFileSync(path.join(root, 'dist', BUNDLED_LIST), 'utf8'));
  return new Map(
    [...installed, ...bundled].map((folder) => [
      folder,
      // A package installed under an alias has its own name here.
      `${packages[folder].name ?? folder.split('node_modules/').at(-1)}@${packages[folder].version}`,
    ]),
  );
}

function lockOf(root) {
  return JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));
}

/** The licences of redistributed packages. @throws {Error} for a package whose licence text is missing */
export function licensesOf(root, folders) {
  const texts = folders.map((folder) => licenseOf(path.join(root, folder)));
  return `The program contains these packages.\n\n${texts.join('\n\n')}\n`;
}

function licenseOf(folder) {
  const { name, version, license, author } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  const named = files.map((entry) => entry.name).filter((file) => LICENSE_FILE.test(file));
  const texts = named.map((file) => readFileSync(path.join(folder, file), 'utf8').trim());
  if (texts.length === 0 && license !== 'MIT') throw new Error(`${name} has no text of its licence ${license}`);
  if (texts.length === 0) texts.push(`Copyright (c) ${author?.name ?? author ?? `the authors of ${name}`}\n\n${MIT}`);
  return [`== ${name} ${version}, ${license}`, ...texts].join('\n');
}
