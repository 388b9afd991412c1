// Imported first of all, and importing nothing: an older Node would stumble over the packages, and say something else.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Waystation needs Node 20.19 or later; this is ${major}.${minor}.`);
  process.exit(1);
}
