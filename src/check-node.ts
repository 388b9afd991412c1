/** Entry points import this first: an older Node would fail on a package, with a misleading error. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Waystation needs Node 20.19 or later; this is ${major}.${minor}.\n`);
  process.exit(1);
}
